import { type NodeError, nodeErrorLine } from '../../../../src-main/domain/job/node-error.ts'
import { errorHeadline, readJobError } from '../../../../src-main/domain/job/read-error.ts'

/** Why a run failed, and at which node of its payload. The message is without the place. */
export type RunError = Pick<NodeError, 'message' | 'title' | 'classType' | 'input'> & { readonly node?: string }

/** Reads an error of a run: workers of graphs name the node; others write a text. */
export function readRunError(text: string): RunError {
  const read = readJobError(text)
  if (read.node === undefined) return { message: errorHeadline(read) }
  const { reason, traceback: _traceback, ...error } = read.node
  return { ...error, message: reason ?? error.message }
}

/** The error in one line, with the place in front: `KSampler (3), seed: must be at least 0`. */
export function placedLine({ node, ...error }: RunError): string {
  return node === undefined ? error.message : nodeErrorLine({ ...error, node })
}
