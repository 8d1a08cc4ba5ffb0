/**
 * How each node of a run does, from the state of its job, what its worker reported last, and its results. What has not
 * changed stays the same object, so that only nodes that did are drawn again.
 */
import type { JobState } from '../../../../src-main/contract/job.ts'
import type { RunResult } from '../../../../src-main/contract/workflows.ts'
import type { NodeProgress } from '../store/run-store.ts'
import type { RunError } from './read-run-error.ts'
import type { WorkerProgress } from './worker-progress.ts'

/** How nodes do, by their ids in the payload. */
export type ProgressOfNodes = ReadonlyMap<string, NodeProgress>

/** What is known of a run. */
export type RunFacts = {
  /** Ids of the payload's nodes. */
  readonly nodes: readonly string[]
  readonly status: JobState
  readonly reported?: WorkerProgress | undefined
  readonly errors?: readonly RunError[]
  readonly results?: readonly RunResult[]
}

/** How the nodes do now. @param before how they did, of the same run; empty where it is another one */
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

function stateOf(
  id: string,
  { status, reported }: RunFacts,
  before: NodeProgress | undefined,
): NodeProgress | undefined {
  if (status === 'IN_QUEUE') return { state: 'waiting' }
  if (status === 'IN_PROGRESS')
    return reported === undefined ? { state: 'waiting' } : whileRunning(id, reported, before)
  if (before !== undefined && isOver(before)) return ended(before)
  // What its worker did at the very end it may not have told any more.
  return status === 'COMPLETED' ? { state: 'done' } : undefined
}

const isOver = ({ state }: NodeProgress) => state === 'done' || state === 'cached' || state === 'failed'

// The picture on the way is of no use beside the result.
function ended({ state, error }: NodeProgress): NodeProgress {
  return error === undefined ? { state } : { state, error }
}

function whileRunning(id: string, reported: WorkerProgress, before: NodeProgress | undefined): NodeProgress {
  const preview = reported.preview?.node === id ? reported.preview.source : before?.preview
  const picture = preview === undefined ? {} : { preview }
  if (reported.cached.has(id)) return { state: 'cached' }
  if (reported.done.has(id)) return { state: before?.state === 'cached' ? 'cached' : 'done', ...picture }
  if (reported.node !== id) return { state: 'waiting', ...picture }
  const { step, steps } = reported
  return {
    state: 'running',
    ...(step === undefined ? {} : { step }),
    ...(steps === undefined ? {} : { steps }),
    ...picture,
  }
}

function isSame(one: NodeProgress, other: NodeProgress): boolean {
  const same = (['state', 'step', 'steps', 'preview', 'error'] as const).every((key) => one[key] === other[key])
  const [ofOne, ofOther] = [one.results ?? [], other.results ?? []]
  return same && ofOne.length === ofOther.length && ofOne.every(({ asset }, at) => asset === ofOther[at]?.asset)
}
