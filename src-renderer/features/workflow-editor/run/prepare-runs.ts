import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import {
  type WorkflowDocument,
  writeDocument,
} from '../../../../src-main/features/workflows/rules/document/document.ts'
import type { PackagesByClass } from '../../../../src-main/features/workflows/rules/node-packages.ts'
import type { NodeTypes } from '../../../../src-main/features/workflows/rules/node-types.ts'
import { readPayloadNode, readPayloadNodes } from '../../../../src-main/features/workflows/rules/payload.ts'
import { payloadIdOf } from '../../../../src-main/features/workflows/rules/payload-ids.ts'
import type { Problem } from '../../../../src-main/features/workflows/rules/problem.ts'
import { pruneToOutputs } from '../../../../src-main/features/workflows/rules/publish/parameter-values.ts'
import { resolveDocument } from '../../../../src-main/features/workflows/rules/resolve/resolve.ts'
import {
  unrunnableNodes,
  type WorkflowFacts,
  whyNoWorkflows,
} from '../../../../src-main/features/workflows/rules/runs/takes-workflows.ts'
import { toPayload } from '../../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { validate } from '../../../../src-main/features/workflows/rules/validate.ts'
import { type JsonObject, writeJson } from '../../../../src-main/lib/json/value.ts'
import { knownPackages, takesNone, whyUnrunnable } from '../problems/find-problems.ts'
import type { Refusal } from '../store/run-store.ts'

export type SeedMode = 'after' | 'before'

export type RunTarget = Pick<LiveEndpoint, 'name'> & WorkflowFacts

export type RunOrder = {
  readonly document: WorkflowDocument
  readonly types: NodeTypes
  readonly endpoint: RunTarget | undefined
  readonly indexed: PackagesByClass
  /** Number of runs, each with its own seeds; 1 to 100. */
  readonly count: number
  readonly only: Selected | undefined
  readonly random: (least: bigint, most: bigint) => bigint
  readonly seedMode: SeedMode
  readonly isFirst: boolean
  /** ms since the epoch, for dates in file names. */
  readonly now: number
}

/** `path`: ids of the entered nodes; `selection`: node ids within that graph. */
type Selected = { readonly path: readonly string[]; readonly selection: ReadonlySet<string> }

export type PreparedRun = { readonly write: () => { readonly payload: string; readonly document: string } }

/** Settles seeds and prompts, and checks only the first payload, because the others cannot differ in validity. */
export function prepareRuns(order: RunOrder) {
  const { document, types, endpoint, indexed, count, only, random, now, seedMode, isFirst } = order
  // Several partial runs would be identical, since they do not advance seeds.
  const isPartial = only !== undefined && count === 1
  const runs: PreparedRun[] = []
  let next = document
  for (let at = 0; at < count; at++) {
    const resolved = resolveDocument(next, types, { random, isFirst: isFirst && at === 0, mode: seedMode, isPartial })
    if (at === 0) {
      const refusal = evaluate(resolved.document, { types, endpoint, indexed, only, now })
      if (refusal !== undefined) return { kind: 'refused', refusal } as const
    }
    runs.push({ write: () => written(resolved.document, { types, only, now }) })
    next = resolved.next
  }
  return { kind: 'ready', runs, next } as const
}

type PayloadOptions = Pick<RunOrder, 'types' | 'only' | 'now'>

function sentPayload(document: WorkflowDocument, { types, only, now }: PayloadOptions) {
  const { payload, problems } = toPayload(document, types, now)
  return { payload: only === undefined ? payload : selectedOutputs(payload, types, { document, ...only }), problems }
}

type EvaluateOptions = PayloadOptions & Pick<RunOrder, 'endpoint' | 'indexed'>

function evaluate(document: WorkflowDocument, options: EvaluateOptions): Refusal | undefined {
  const { endpoint, indexed } = options
  const why = endpoint && whyNoWorkflows(endpoint)
  if (why !== undefined) return { message: takesNone(endpoint?.name, why).message, problems: [] }
  const { payload, problems } = sentPayload(document, options)
  if (payload === undefined) {
    const message = 'No selected node has a result. Select a node that saves or shows one, like Save Image.'
    return { message, problems: [] }
  }
  if (payload.size === 0) return { message: 'The graph is empty. Add nodes, or open a template.', problems: [] }
  const isSent = ({ node }: Problem) => node === undefined || payload.has(node)
  const nodes = unrunnableNodes(endpoint ?? {}, readPayloadNodes(payload), options.types)
  const unrunnable = new Map(nodes.map(({ id, classType }) => [id, classType]))
  const packages = knownPackages(document, indexed)
  const errors = [...problems.filter(isSent), ...validate(payload, options.types)].flatMap((problem): Problem[] => {
    const { code, node = '' } = problem
    const lacking = code === 'unknown_class' ? unrunnable.get(node) : undefined
    if (lacking === undefined) return problem.severity === 'error' ? [problem] : []
    return [{ ...problem, message: whyUnrunnable(endpoint?.name, lacking, packages.get(lacking)) }]
  })
  return errors.length === 0 ? undefined : { message: refusalText(errors.length), problems: errors }
}

export const refusalText = (count: number) =>
  count === 1 ? 'An error prevents this graph from running.' : `${count} errors prevent this graph from running.`

function written(document: WorkflowDocument, options: PayloadOptions) {
  const payload: JsonObject = sentPayload(document, options).payload ?? new Map()
  return { payload: writeJson(payload), document: writeJson(writeDocument(document)) }
}

/**
 * The payload part that the selected outputs need; undefined if no selected node produces a result.
 * @param nodes.selection node ids; a subgraph means all outputs within it
 */
export function selectedOutputs(
  payload: JsonObject,
  types: NodeTypes,
  { document, path, selection }: Selected & Pick<RunOrder, 'document'>,
): JsonObject | undefined {
  const chosen = new Set([...selection].map((id) => payloadIdOf(document, path, id)))
  const outputs = [...payload.keys()].filter((id) => isWithin(id, chosen) && isOutput(payload, id, types))
  return outputs.length === 0 ? undefined : pruneToOutputs(payload, outputs)
}

function isWithin(id: string, chosen: ReadonlySet<string>): boolean {
  const steps = id.split(':')
  return steps.some((_step, at) => chosen.has(steps.slice(0, at + 1).join(':')))
}

// A node of an unknown class may be an output, and its selection says so.
function isOutput(payload: JsonObject, id: string, types: NodeTypes): boolean {
  const node = readPayloadNode(id, payload.get(id))
  return node !== undefined && types.get(node.classType)?.isOutput !== false
}
