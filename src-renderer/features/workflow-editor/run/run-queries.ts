import { useQuery } from '@tanstack/react-query'
import type { RunDetail, RunView } from '../../../../src-main/contract/workflows.ts'
import { type NodeError, nodeErrorLine } from '../../../../src-main/features/jobs/rules/node-error.ts'
import { errorHeadline, readJobError } from '../../../../src-main/features/jobs/rules/read-error.ts'
import { parseJson } from '../../../../src-main/lib/json/parse.ts'
import { isObject, type JsonObject } from '../../../../src-main/lib/json/value.ts'
import { useApp } from '../../../store/app-context.ts'

export function payloadOf({ payload }: Pick<RunDetail, 'payload'>): JsonObject {
  const parsed = parseJson(payload)
  return isObject(parsed) ? parsed : new Map()
}

export const runName = ({ title, label }: Pick<RunView, 'title' | 'label'>): string =>
  label === undefined ? title : `${title}, ${label}`

export type RunError = Pick<NodeError, 'message' | 'title' | 'classType' | 'input'> & { readonly node?: string }

export function readRunError(text: string): RunError {
  const read = readJobError(text)
  if (read.node === undefined) return { message: errorHeadline(read) }
  const { reason, traceback: _traceback, ...error } = read.node
  return { ...error, message: reason ?? error.message }
}

/** The error in one line after its location: `KSampler (3), seed: must be at least 0`. */
export function locatedLine({ node, ...error }: RunError): string {
  return node === undefined ? error.message : nodeErrorLine({ ...error, node })
}

/** A run's payload never changes, so its texts are not compared again. */
export function useRun(runId: string) {
  const { client } = useApp()
  return useQuery({
    queryKey: ['run', runId],
    queryFn: ({ signal }) => client.call('runRead', { path: { runId }, signal }),
    structuralSharing: false,
    enabled: runId !== '',
  })
}
