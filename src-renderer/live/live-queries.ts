/**
 * One table maps events to queries, their cache patches and refetch delays. A query being read when due is read again,
 * so stale answers do not stay; missed events refetch all, and queries that failed meanwhile.
 */
import type { Query, QueryClient } from '@tanstack/react-query'
import type { ResponseOf } from '../../src-main/app/client/calls.ts'
import type { JobList, JobState } from '../../src-main/contract/job.ts'
import type { ServiceEvent } from '../../src-main/contract/live.ts'
import type { RunView } from '../../src-main/contract/workflows.ts'
import type { JobDetail } from '../api-client/jobs.ts'
import type { Platform } from '../browser/platform.ts'
import { createPlanner, type EventFollower } from './follow-events.ts'

type LiveRule<Data> = {
  readonly kind: string
  /**
   * True if an event concerns a query.
   * @param id the second part of its key
   */
  readonly concerns: (event: ServiceEvent, id: unknown, data: Data | undefined) => boolean
  /** Applies events as far as they tell; returns the same object if nothing changes. */
  readonly patch?: (data: Data, events: readonly ServiceEvent[]) => Data
  readonly patchMissed?: (data: Data) => Data
  readonly readAfterMs: number
}

export type ReadRuns = {
  readonly runs: readonly RunView[]
  readonly more: boolean
  readonly touched: ReadonlySet<string>
}

/** A run shares its job's id; progress changes nothing that is listed. */
function runOf(event: ServiceEvent): string | undefined {
  if (event.type === 'run') return event.runId
  return isQueueMove(event) ? event.jobId : undefined
}

type JobEvent = Extract<ServiceEvent, { type: 'job' }>

const isQueueMove = (event: ServiceEvent): event is JobEvent => event.type === 'job' && event.event !== 'progress'
const isRunEvent = (event: ServiceEvent) => event.type === 'run'
const isOfFleet = ({ type }: ServiceEvent) => type === 'worker' || type === 'endpoint'
const isEndOfWorker = (event: ServiceEvent) => event.type === 'worker' && event.to === 'ended'

// Twice a second suffices for lists, even if a job reports progress a hundred times a second. Source of all times:
// ours.
const RULES: readonly LiveRule<unknown>[] = [
  ruleOf<JobList>({ kind: 'jobs', concerns: ({ type }) => type === 'job', patch: withStates, readAfterMs: 500 }),
  ruleOf<JobList>({
    kind: 'job-faces',
    concerns: (event, _id, list) =>
      event.type === 'job' && list?.requests.some(({ id }) => id === event.jobId) === true,
    patch: withStates,
    readAfterMs: 500,
  }),
  ruleOf({ kind: 'job-preview', concerns: (event, id) => isQueueMove(event) && event.jobId === id, readAfterMs: 300 }),
  ruleOf({ kind: 'job-states', concerns: isQueueMove, readAfterMs: 1000 }),
  ruleOf<JobDetail>({
    kind: 'job',
    concerns: (event, id) => event.type === 'job' && event.jobId === id,
    patch: (job, events) => events.reduce(jobAfter, job),
    readAfterMs: 300,
  }),
  ruleOf({ kind: 'queue', concerns: isQueueMove, readAfterMs: 100 }),
  ruleOf({ kind: 'run', concerns: (event, id) => runOf(event) === id, readAfterMs: 0 }),
  ruleOf<ReadRuns>({
    kind: 'run-list',
    concerns: (event, _id, list) =>
      (event.type === 'run' && event.event === 'created') ||
      list === undefined ||
      list.runs.some(({ id }) => id === runOf(event)),
    patch: (list, events) => withTouched(list, new Set(events.map(runOf))),
    patchMissed: (list) => withTouched(list, new Set(list.runs.filter(isOpen).map(({ id }) => id))),
    readAfterMs: 300,
  }),
  ruleOf<ResponseOf<'scheduleList'>>({
    kind: 'schedules',
    concerns: (event, _id, list) =>
      isQueueMove(event) &&
      list?.schedules.some(({ runs }) => runs.some(({ jobId }) => jobId === event.jobId)) === true,
    readAfterMs: 300,
  }),
  ruleOf({ kind: 'sweeps', concerns: isRunEvent, readAfterMs: 100 }),
  ruleOf({ kind: 'workflows', concerns: isRunEvent, readAfterMs: 100 }),
  // No event follows an end that was missed, so these have to be rows here.
  ruleOf({ kind: 'ended-workers', concerns: isEndOfWorker, readAfterMs: 0 }),
  ruleOf({ kind: 'machines', concerns: isOfFleet, readAfterMs: 300 }),
  ruleOf({ kind: 'fleet-events', concerns: () => false, readAfterMs: 0 }),
]

// Data in the cache is untyped: a key of this kind belongs only to queries of this data.
function ruleOf<Data = unknown>({
  kind,
  concerns,
  patch,
  patchMissed,
  readAfterMs,
}: LiveRule<Data>): LiveRule<unknown> {
  return {
    kind,
    concerns: (event, id, data) => concerns(event, id, data as Data | undefined),
    ...(patch === undefined ? {} : { patch: (data, events) => patch(data as Data, events) }),
    ...(patchMissed === undefined ? {} : { patchMissed: (data) => patchMissed(data as Data) }),
    readAfterMs,
  }
}

const RULE_OF = new Map<unknown, LiveRule<unknown>>(RULES.map((rule) => [rule.kind, rule]))

// Delay until a query that is being fetched when it is due is checked again, in ms.
const UNDER_WAY_MS = 50

export function liveQueries(queries: QueryClient, platform: Pick<Platform, 'after'>): EventFollower {
  const { plan } = createPlanner(platform)

  function planRead(query: Query, afterMs: number): void {
    plan(query.queryHash, afterMs, () => {
      if (query.state.fetchStatus === 'fetching') planRead(query, UNDER_WAY_MS)
      else void queries.invalidateQueries({ queryKey: query.queryKey, exact: true })
    })
  }

  function change(query: Query, patch: ((data: unknown) => unknown) | undefined): void {
    const { data } = query.state
    if (data === undefined || patch === undefined) return
    const next = patch(data)
    if (next !== data) queries.setQueryData(query.queryKey, next)
  }

  return {
    onEvents(numbered) {
      const events = numbered.map(({ event }) => event)
      for (const query of queries.getQueryCache().getAll()) {
        const [kind, id] = query.queryKey
        const rule = RULE_OF.get(kind)
        if (rule === undefined) continue
        const own = events.filter((event) => rule.concerns(event, id, query.state.data))
        if (own.length === 0) continue
        const { patch } = rule
        change(query, patch && ((data) => patch(data, own)))
        planRead(query, rule.readAfterMs)
      }
    },
    onMissed() {
      const isLive = ({ queryKey }: Query) => RULE_OF.has(queryKey[0])
      for (const query of queries.getQueryCache().findAll({ predicate: isLive }))
        change(query, RULE_OF.get(query.queryKey[0])?.patchMissed)
      void queries.invalidateQueries({ predicate: (query) => isLive(query) || query.state.status === 'error' })
    },
  }
}

function withStates(list: JobList, events: readonly ServiceEvent[]): JobList {
  const states = new Map<string, JobState>()
  for (const event of events) if (event.type === 'job') states.set(event.jobId, event.to)
  if (!list.requests.some(({ id }) => states.has(id))) return list
  const requests = list.requests.map((job) => ({ ...job, status: states.get(job.id) ?? job.status }))
  return { ...list, requests }
}

const isOpen = ({ endedAt }: Pick<RunView, 'endedAt'>) => endedAt === undefined

function withTouched(list: ReadRuns, ids: ReadonlySet<string | undefined>): ReadRuns {
  const touched = list.runs.flatMap(({ id }) => (ids.has(id) ? [id] : []))
  return touched.length === 0 ? list : { ...list, touched: new Set([...list.touched, ...touched]) }
}

function jobAfter(job: JobDetail, event: ServiceEvent): JobDetail {
  if (event.type !== 'job') return job
  const last = job.history.at(-1)
  if (last !== undefined && event.at < last.at) return job
  // Others may have followed it within the same millisecond.
  if (job.history.some(({ at, event: known }) => at === event.at && known === event.event)) return job
  const { type: _type, endpointId: _endpoint, jobId: _job, ...entry } = event
  const { workerId: _before, waitingReason: _reason, ...rest } = job
  const workerId = event.to === 'IN_QUEUE' ? undefined : (event.workerId ?? job.workerId)
  return {
    ...rest,
    status: event.to,
    attempt: event.attempt,
    history: [...job.history, entry],
    ...(workerId === undefined ? {} : { workerId }),
  }
}
