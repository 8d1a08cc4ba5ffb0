/** Unchanged nodes keep their object identity, so only changed ones re-render. */

import { z } from 'zod'
import type { JobState } from '../../../../src-main/contract/job.ts'
import type { RunResult } from '../../../../src-main/contract/workflows.ts'
import type { NodeProgress } from '../store/run-store.ts'
import type { RunError } from './run-queries.ts'

export type ProgressOfNodes = ReadonlyMap<string, NodeProgress>

export type RunFacts = {
  readonly nodes: readonly string[]
  readonly status: JobState
  readonly reported?: WorkerProgress | undefined
  readonly errors?: readonly RunError[]
  readonly results?: readonly RunResult[]
}

/** @param before the previous progress of the same run; empty for another run */
export function progressOfNodes(facts: RunFacts, before: ProgressOfNodes): ProgressOfNodes {
  const results = Map.groupBy(facts.results ?? [], ({ node }) => node ?? '')
  const failed = new Map((facts.errors ?? []).map((error) => [error.node ?? '', error.message]))
  const now = new Map<string, NodeProgress>()
  for (const id of facts.nodes) {
    const known = before.get(id)
    const error = failed.get(id)
    const next: NodeProgress | undefined = error === undefined ? stateOf(id, facts, known) : { state: 'failed', error }
    if (next === undefined) continue
    const own = results.get(id)
    const withResults: NodeProgress = own === undefined ? next : { ...next, state: doneOr(next.state), results: own }
    now.set(id, known !== undefined && isSame(known, withResults) ? known : withResults)
  }
  return now
}

const doneOr = (state: NodeProgress['state']): NodeProgress['state'] =>
  state === 'cached' || state === 'failed' ? state : 'done'

function stateOf(id: string, facts: RunFacts, before: NodeProgress | undefined): NodeProgress | undefined {
  const { status, reported } = facts
  if (status === 'IN_QUEUE') return { state: 'waiting' }
  if (status === 'IN_PROGRESS')
    return reported === undefined ? { state: 'waiting' } : whileRunning(id, reported, before)
  if (before !== undefined && isOver(before)) {
    const { state, error } = before
    return error === undefined ? { state } : { state, error }
  }
  // A worker may not have reported its last steps.
  return status === 'COMPLETED' ? { state: 'done' } : undefined
}

const isOver = ({ state }: NodeProgress) => state === 'done' || state === 'cached' || state === 'failed'

function whileRunning(id: string, reported: WorkerProgress, before: NodeProgress | undefined): NodeProgress {
  const preview = reported.preview?.node === id ? reported.preview.source : before?.preview
  const picture = preview === undefined ? {} : { preview }
  if (reported.cached.has(id)) return { state: 'cached' }
  if (reported.done.has(id)) return { state: before?.state === 'cached' ? 'cached' : 'done', ...picture }
  if (reported.node !== id) return { state: 'waiting', ...picture }
  const { step, steps } = reported
  return { state: 'running', ...(step !== undefined && { step }), ...(steps !== undefined && { steps }), ...picture }
}

function isSame(one: NodeProgress, other: NodeProgress): boolean {
  const same = (['state', 'step', 'steps', 'preview', 'error'] as const).every((key) => one[key] === other[key])
  const [ofOne, ofOther] = [one.results ?? [], other.results ?? []]
  return same && ofOne.length === ofOther.length && ofOne.every(({ asset }, at) => asset === ofOther[at]?.asset)
}

// Progress reports of graph workers while they run. Source: docs/spec/image-workflows.md, 5.

// Formats that browsers show and that cannot contain scripts. A worker may also send bare base64.
const PICTURE = /^data:image\/(png|jpeg|webp|gif|avif);base64,/
const BARE: readonly (readonly [start: string, type: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
]

const nodeId = z.union([z.string(), z.number().transform(String)])
const report = z.object({
  node: nodeId.nullish(),
  step: z.number().nullish(),
  steps: z.number().nullish(),
  done: z.array(nodeId).nullish(),
  cached: z.array(nodeId).nullish(),
  preview: z.object({ node: nodeId.nullish(), data: z.string() }).nullish(),
})

type WorkerProgress = NonNullable<ReturnType<typeof readWorkerProgress>>

/** Parses a report; undefined if the worker uses a format of its own. */
export function readWorkerProgress(value: unknown) {
  const parsed = report.safeParse(value)
  if (!parsed.success) return undefined
  const { node, step, steps, done, cached, preview } = parsed.data
  if (node == null && done == null && cached == null) return undefined
  const source = preview == null ? undefined : pictureSource(preview.data)
  const previewNode = preview?.node ?? node ?? undefined
  return {
    node: node ?? undefined,
    step: step ?? undefined,
    steps: steps ?? undefined,
    done: new Set(done ?? []),
    // Nodes that did not have to run, because nothing before them had changed.
    cached: new Set(cached ?? []),
    // `source` is a URL that an <img> can show.
    preview: source === undefined || previewNode === undefined ? undefined : { node: previewNode, source },
  }
}

function pictureSource(data: string): string | undefined {
  if (PICTURE.test(data)) return data
  const type = BARE.find(([start]) => data.startsWith(start))?.[1]
  return type === undefined ? undefined : `data:${type};base64,${data}`
}
