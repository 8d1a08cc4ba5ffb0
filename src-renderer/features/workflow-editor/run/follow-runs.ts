/**
 * Follows a tab's runs until their results are stored. Events only signal a change; the state is then read, progress
 * and previews at most ten times per second.
 */

import type { ResponseOf } from '../../../../src-main/app/client/calls.ts'
import type { JobState } from '../../../../src-main/contract/job.ts'
import type { RunDetail, RunView } from '../../../../src-main/contract/workflows.ts'
import { isFinal } from '../../../../src-main/features/jobs/rules/transitions.ts'
import { parseJson } from '../../../../src-main/lib/json/parse.ts'
import { isObject } from '../../../../src-main/lib/json/value.ts'
import { ApiError } from '../../../api-client/api-error.ts'
import type { Caller } from '../../../api-client/client.ts'
import { OPEN_EVERY_MS } from '../../../api-client/jobs.ts'
import type { Platform } from '../../../browser/platform.ts'
import { followEvents } from '../../../live/follow-events.ts'
import type { AppStore } from '../../../store/app-store.ts'
import type { RunStore } from '../store/run-store.ts'
import { progressOfNodes, readWorkerProgress } from './node-progress.ts'
import { readRunError } from './run-queries.ts'

// People cannot tell more than ten pictures per second apart.
const CHECK_MS = 100
const RESULTS_AGAIN_MS = 300

export const hasEnded = ({ status }: Pick<RunView, 'status'>): boolean => isFinal(status)

export const headOf = (active: readonly RunView[]): RunView | undefined =>
  active.find(({ status }) => status === 'IN_PROGRESS') ?? active.find((run) => !hasEnded(run))

// A missing record is an answer; an unreachable service is not.
function unlessGone(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 404) return undefined
  throw error
}

const LATEST = 20

/** Runs from before the window was opened: the open ones, or else the latest. */
export async function findEarlierRuns(client: Caller, runs: RunStore, workflow: string): Promise<void> {
  const { runs: latest } = await client.call('runList', { query: { workflow, limit: LATEST } })
  const { active, shown, set } = runs.getState()
  const known = new Set(active.map(({ id }) => id))
  const open = latest.filter((run) => !hasEnded(run) && !known.has(run.id)).toReversed()
  // The list may arrive late: by then a run of this window may have ended.
  const isFresh = active.length === 0 && open.length === 0 && shown === undefined
  const last = isFresh ? latest.find(toldSomething) : undefined
  const found = last === undefined ? open : [last]
  if (found.length > 0) set({ active: [...found, ...active] })
}

const toldSomething = ({ endedAt, results, previews = [], errors }: RunView): boolean =>
  endedAt !== undefined && results.length + previews.length + errors.length > 0

export type FollowPorts = {
  readonly client: Caller
  readonly platform: Pick<Platform, 'after' | 'now'>
  readonly app: Pick<AppStore, 'subscribe'>
  readonly runs: RunStore
  readonly onEnded?: (run: RunDetail) => void
}

export function followRuns({ client, platform, app, runs, onEnded }: FollowPorts): () => void {
  const nodesOf = new Map<string, readonly string[]>()
  let stopped = false
  let isLooking = false
  let wanted = false
  let cancelCheck: (() => void) | undefined
  let dueAt = 0

  const get = () => runs.getState()
  // Results that arrive after the stop are of no use to anyone.
  const unlessStopped = <Value>(value: Value | undefined) => (stopped ? undefined : value)

  function scheduleCheck(afterMs: number): void {
    wanted = true
    // An earlier plan stays; otherwise a worker that reports constantly would postpone it forever.
    const at = platform.now() + afterMs
    if (isLooking || (cancelCheck !== undefined && dueAt <= at)) return
    cancelCheck?.()
    dueAt = at
    cancelCheck = platform.after(afterMs, () => void checkNow())
  }

  async function checkNow(): Promise<void> {
    cancelCheck = undefined
    wanted = false
    isLooking = true
    const isMissing = await readHead().catch(() => false)
    isLooking = false
    if (stopped || get().active.length === 0) return
    if (wanted) scheduleCheck(CHECK_MS)
    else scheduleCheck(isMissing ? RESULTS_AGAIN_MS : OPEN_EVERY_MS)
  }

  async function readHead(): Promise<boolean> {
    let isMissing = false
    for (const run of get().active.filter(hasEnded)) if (!(await end(run.id))) isMissing = true
    const head = headOf(get().active)
    if (head === undefined) return isMissing
    const job = unlessStopped(await client.call('jobProgress', { path: { jobId: head.id } }).catch(unlessGone))
    if (stopped) return false
    // The job record may be deleted before its run record.
    if (job === undefined) return !(await end(head.id))
    patch(head.id, job.status)
    if (hasEnded(job)) return !(await end(head.id))
    await show(head, job)
    return isMissing
  }

  async function show(run: RunView, job: ResponseOf<'jobProgress'>): Promise<void> {
    const nodes = nodesOf.get(run.id) ?? (await readNodes(run.id))
    if (stopped || nodes === undefined) return
    const { shown, progress } = get()
    const before = shown?.id === run.id ? progress : new Map()
    const reported = readWorkerProgress(job.progress)
    const startedAt = job.delayTime === undefined ? undefined : job.createdAt + job.delayTime
    get().set({
      shown: { ...run, status: job.status },
      progress: progressOfNodes({ nodes, status: job.status, reported }, before),
      head: { runId: run.id, waitingReason: job.waitingReason, startedAt },
    })
  }

  async function readNodes(runId: string): Promise<readonly string[] | undefined> {
    const run = unlessStopped(await client.call('runRead', { path: { runId } }).catch(() => undefined))
    if (run === undefined) return undefined
    const parsed = parseJson(run.payload)
    const nodes = isObject(parsed) ? [...parsed.keys()] : []
    nodesOf.set(runId, nodes)
    return nodes
  }

  /** @returns true once the results are stored or the run is gone */
  async function end(runId: string): Promise<boolean> {
    const run = unlessStopped(await client.call('runRead', { path: { runId } }).catch(unlessGone))
    if (stopped) return true
    if (run === undefined) {
      get().set(({ active }) => ({ active: active.filter(({ id }) => id !== runId) }))
      return true
    }
    // Its job may end a moment before its results are stored.
    if (run.endedAt === undefined) return false
    const nodes = nodesOf.get(runId) ?? (await readNodes(runId)) ?? []
    const { shown, progress, active } = get()
    const others = active.filter(({ id }) => id !== runId)
    const errors = run.errors.map(readRunError)
    const before = shown?.id === runId ? progress : new Map()
    const { status } = run
    const results = [...run.results, ...(run.previews ?? [])]
    get().set({
      active: others,
      ...(shown === undefined || shown.id === runId || hasEnded(shown)
        ? { shown: run, progress: progressOfNodes({ nodes, status, errors, results }, before) }
        : {}),
      ...(get().head?.runId === runId ? { head: undefined } : {}),
    })
    onEnded?.(run)
    return true
  }

  function patch(runId: string, status: JobState): void {
    const { active } = get()
    if (active.some((run) => run.id === runId && run.status !== status))
      get().set({ active: active.map((run) => (run.id === runId ? { ...run, status } : run)) })
  }

  const endFollowing = followEvents(app, {
    onMissed: () => scheduleCheck(0),
    onEvents(events) {
      const ids = new Set(get().active.map(({ id }) => id))
      for (const { event } of events) {
        if (event.type === 'job' && ids.has(event.jobId)) {
          patch(event.jobId, event.to)
          scheduleCheck(CHECK_MS)
        }
        if (event.type === 'run' && ids.has(event.runId)) scheduleCheck(0)
      }
    },
  })
  const endWatching = runs.subscribe(({ active }, { active: before }) => {
    if (active.some(({ id }) => !before.some((run) => run.id === id))) scheduleCheck(0)
  })
  if (get().active.length > 0) scheduleCheck(0)

  return () => {
    stopped = true
    cancelCheck?.()
    endFollowing()
    endWatching()
  }
}
