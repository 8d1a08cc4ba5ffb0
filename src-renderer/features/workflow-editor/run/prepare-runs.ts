/** What is sent when a person runs a document: settled payloads, each with the document that it was made of. */

import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { type WorkflowDocument, writeDocument } from '../../../../src-main/domain/workflow/document/document.ts'
import type { JsonObject } from '../../../../src-main/domain/workflow/json/value.ts'
import { writeJson } from '../../../../src-main/domain/workflow/json/write.ts'
import type { NodeTypes } from '../../../../src-main/domain/workflow/node-types.ts'
import { readPayloadNodes } from '../../../../src-main/domain/workflow/payload.ts'
import type { Problem } from '../../../../src-main/domain/workflow/problem.ts'
import { settle } from '../../../../src-main/domain/workflow/settle/settle.ts'
import { toPayload } from '../../../../src-main/domain/workflow/to-payload/to-payload.ts'
import { validate } from '../../../../src-main/domain/workflow/validate/validate.ts'
import {
  unrunnableNodes,
  type WorkflowFacts,
  whyNoWorkflows,
} from '../../../../src-main/domain/workflow-runs/takes-workflows.ts'
import { takesNone } from '../problems/find-problems.ts'
import type { Refusal } from '../store/run-store.ts'
import { selectedOutputs } from './selected-outputs.ts'

/** When seeds move on: after a run, or before it, so that the editor shows the seed of the last picture. */
export type SeedMode = 'after' | 'before'

/** An endpoint, as far as it decides on what it can run. */
export type RunPlace = Pick<LiveEndpoint, 'name'> & WorkflowFacts

/** What is to be run. */
export type RunOrder = {
  readonly document: WorkflowDocument
  readonly types: NodeTypes
  /** Where it is to run. */
  readonly endpoint: RunPlace | undefined
  /** How often, each with its own step of the seeds; 1 to 100. */
  readonly count: number
  /** Where the selected outputs are, where only those are wanted. */
  readonly only: { readonly path: readonly string[]; readonly selection: ReadonlySet<string> } | undefined
  /** A number of the range, both ends included. */
  readonly random: (least: bigint, most: bigint) => bigint
  readonly seedMode: SeedMode
  /** Whether nothing has been run since the document was opened. */
  readonly isFirst: boolean
  /** ms since the epoch, for dates in the names of files. */
  readonly now: number
}

/** A run that can be sent. Written out late, as a hundred large ones would hold the window up. */
export type PreparedRun = { readonly write: () => { readonly payload: string; readonly document: string } }

/** Runs and the document as it goes on, or why there are none. */
export type PreparedRuns =
  | { readonly kind: 'ready'; readonly runs: readonly PreparedRun[]; readonly next: WorkflowDocument }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

/** Settles seeds and prompts, and checks the first payload: they differ in nothing that could be wrong. */
export function prepareRuns(order: RunOrder): PreparedRuns {
  const { document, types, endpoint, count, only, random, now, seedMode, isFirst } = order
  // Several runs of a part would all be the same.
  const isPartial = only !== undefined && count === 1
  const runs: PreparedRun[] = []
  let next = document
  for (let at = 0; at < count; at++) {
    const settled = settle(next, types, { random, isFirst: isFirst && at === 0, mode: seedMode, isPartial })
    if (at === 0) {
      const refusal = judge(settled.document, { types, endpoint, only, now })
      if (refusal !== undefined) return { kind: 'refused', refusal }
    }
    runs.push({ write: () => written(settled.document, { types, only, now }) })
    next = settled.next
  }
  return { kind: 'ready', runs, next }
}

// What beside the document decides on its payload.
type PayloadOptions = Pick<RunOrder, 'types' | 'only' | 'now'>

function sentPayload(document: WorkflowDocument, { types, only, now }: PayloadOptions) {
  const { payload, problems } = toPayload(document, types, now)
  return { payload: only === undefined ? payload : selectedOutputs(payload, types, { document, ...only }), problems }
}

function judge(document: WorkflowDocument, options: PayloadOptions & Pick<RunOrder, 'endpoint'>): Refusal | undefined {
  const { endpoint } = options
  const why = endpoint && whyNoWorkflows(endpoint)
  if (why !== undefined) return { message: takesNone(endpoint?.name, why).message, problems: [] }
  const { payload, problems } = sentPayload(document, options)
  if (payload === undefined) {
    const message = 'Nothing that is selected gives a result. Select a node that saves or shows one, like Save Image.'
    return { message, problems: [] }
  }
  if (payload.size === 0) return { message: 'The graph is empty. Add nodes, or open a template.', problems: [] }
  const isSent = ({ node }: Problem) => node === undefined || payload.has(node)
  const unrunnable = new Set(
    unrunnableNodes(endpoint ?? {}, readPayloadNodes(payload), options.types).map(({ id }) => id),
  )
  const isUnrunnable = ({ code, node = '' }: Problem) => code === 'unknown_class' && unrunnable.has(node)
  const all = [...problems.filter(isSent), ...validate(payload, options.types)]
  const errors = all.filter((problem) => isError(problem) || isUnrunnable(problem))
  return errors.length === 0 ? undefined : { message: refusalWords(errors.length), problems: errors }
}

const isError = ({ severity }: Problem) => severity === 'error'
const refusalWords = (count: number) =>
  count === 1 ? 'One error keeps this graph from running.' : `${count} errors keep this graph from running.`

function written(document: WorkflowDocument, options: PayloadOptions) {
  const payload: JsonObject = sentPayload(document, options).payload ?? new Map()
  return { payload: writeJson(payload), document: writeJson(writeDocument(document)) }
}
