/**
 * A list of jobs of which only what is in sight is held. A count says how long the list is and gives a cursor; pages
 * that begin with it hold just the jobs that were there then, so that rows keep their places while others come. New
 * jobs are counted until somebody asks for them; a list that nobody reads begins anew by itself.
 *
 * Rows change in place as events come, and are read again soon after, since events do not tell everything of a job.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { JobListItem } from '../../../../src-main/contract/job.ts'
import { foundUnder } from '../../../../src-main/domain/job/time-limit.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import type { NumberedEvent } from '../../../api-client/event-stream.ts'
import { createPlanner, type EventFollower } from '../../../live/follow-events.ts'
import type { Platform } from '../../../platform/platform.ts'
import { type JobListFilter, letsThrough, queryOf } from './job-list-filter.ts'

/** Jobs of a page; source: ours, three windows of rows. */
export const PAGE = 100
// Those nearest to what is in sight.
const MAX_PAGES = 20
const AT_ONCE = 2
// Rows before and after those in sight that are read too, so that a list that is scrolled has them when they come.
const AHEAD = 40
const READ_AGAIN_MS = 400
const BEGIN_ANEW_MS = 500
const READ_IDS = 100
// Rows have the beginnings of their payloads.
const previews = 'true'
// Pages of a search are asked for by their place alone.
const orderOf = ({ text }: JobListFilter) => (text === undefined ? {} : ({ order: 'match' } as const))

/** What is known of the list. */
export type JobWindowState = {
  readonly phase: 'loading' | 'shown' | 'failed'
  readonly error: Error | undefined
  /** Jobs of the list; `more` where the service gave the count up. */
  readonly count: number
  readonly more: boolean
  /** What the service gave with the count. */
  readonly cursor: string
  /** When it was counted, ms since the epoch: spans up to now end there. */
  readonly countedAt: number
  /** Ids by the number of their page. */
  readonly pages: ReadonlyMap<number, readonly string[]>
  readonly rows: ReadonlyMap<string, JobListItem>
  /** Jobs that have come since. */
  readonly fresh: number
  /** Grows when the list begins anew. */
  readonly anew: number
}

/** A list of jobs of which only what is in sight is held. */
export type JobWindow = StoreApi<JobWindowState> &
  EventFollower & {
    readonly filter: JobListFilter
    /** Reads the list; safe to call again, also after `stop`. */
    readonly start: () => void
    /** Begins anew, from the newest job. */
    readonly begin: () => Promise<void>
    /** Tells which rows are in sight, so that they are read. */
    readonly setSight: (first: number, last: number) => void
    /** Tells whether somebody reads, so that nothing may move. */
    readonly setReading: (reads: boolean) => void
    /** Shows changes of rows before the service has made them. */
    readonly patch: (ids: readonly string[], change: Partial<JobListItem>) => void
    /** Reads rows again, also those that no event was of. */
    readonly readAgain: (ids: readonly string[]) => void
    readonly stop: () => void
  }

const EMPTY: JobWindowState = {
  phase: 'loading',
  error: undefined,
  count: 0,
  more: false,
  cursor: '',
  countedAt: 0,
  pages: new Map(),
  rows: new Map(),
  fresh: 0,
  anew: 0,
}

/** The row of a place; undefined while it is not read, or where the job is gone. */
export function rowAt({ pages, rows }: JobWindowState, index: number): JobListItem | undefined {
  const id = pages.get(Math.floor(index / PAGE))?.[index % PAGE]
  return id === undefined ? undefined : rows.get(id)
}

// What has not changed stays the same object, so that it is not drawn again.
function sameOr(before: JobListItem | undefined, now: JobListItem): JobListItem {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now
}

// A row that is read again by its id is not searched for.
function withFound(before: JobListItem | undefined, now: JobListItem): JobListItem {
  return before?.found === undefined ? now : { ...now, found: before.found }
}

/** Makes a list; nothing is read before `begin`. */
export function createJobWindow({
  client,
  platform,
  filter,
}: {
  readonly client: Pick<ApiClient, 'call'>
  readonly platform: Pick<Platform, 'after' | 'now'>
  readonly filter: JobListFilter
}): JobWindow {
  const store = createStore<JobWindowState>(() => EMPTY)
  const planner = createPlanner(platform)
  const stale = new Set<string>()
  const entered = new Set<string>()
  // Events that come while the list is read may be of before it or of after it; undefined: it is not being read.
  let meanwhile: NumberedEvent[] | undefined
  let cursors = new Map<number, string>()
  let underWay = new Set<number>()
  let sight = { first: 0, last: 0 }
  let reads = false
  let run = 0
  let stopped = false

  function later(name: string, ms: number, work: () => void): void {
    if (!stopped) planner.plan(name, ms, work)
  }

  async function begin(): Promise<void> {
    run += 1
    const own = run
    meanwhile = []
    try {
      const countedAt = platform.now()
      const query = queryOf(filter, countedAt)
      const { count, more, cursor } = await client.call('jobCount', { query })
      const first = await client.call('jobList', {
        query: { ...query, cursor, limit: PAGE, previews, ...orderOf(filter) },
      })
      const { requests } = first
      if (own !== run || stopped) return
      const next = filter.text === undefined ? first.cursor : undefined
      cursors = new Map([[0, cursor], ...(next === undefined ? [] : [[1, next] as const])])
      underWay = new Set()
      stale.clear()
      entered.clear()
      store.setState(({ anew, rows }) => ({
        phase: 'shown',
        error: undefined,
        count: Math.max(count, requests.length),
        more,
        cursor,
        countedAt,
        pages: new Map([[0, requests.map(({ id }) => id)]]),
        rows: new Map(requests.map((job) => [job.id, sameOr(rows.get(job.id), job)])),
        fresh: 0,
        anew: anew + 1,
      }))
      readSight()
      catchUp()
    } catch (error) {
      const { phase } = store.getState()
      const then = phase === 'shown' ? phase : 'failed'
      if (own !== run || stopped) return
      meanwhile = undefined
      store.setState({ phase: then, error: error as Error })
    }
  }

  // Rows are read again and not changed by it: what is shown may be newer.
  function catchUp(): void {
    const events = meanwhile ?? []
    meanwhile = undefined
    const { rows } = store.getState()
    for (const { event } of events) if (event.type === 'job' && rows.has(event.jobId)) stale.add(event.jobId)
    if (stale.size > 0) later('read again', READ_AGAIN_MS, readStale)
    onEvents(events.filter(({ event }) => event.type === 'job' && !rows.has(event.jobId)))
  }

  const pageOf = (index: number) => Math.floor(index / PAGE)

  function readSight(): void {
    const { count, pages, phase } = store.getState()
    if (phase !== 'shown' || stopped) return
    const [first, last] = [Math.max(0, sight.first - AHEAD), Math.min(sight.last + AHEAD, count - 1)]
    const lastInSight = Math.min(sight.last, count - 1)
    // What is in sight, two pages or three, goes before what is next to it.
    for (const index of [sight.first, lastInSight, Math.floor((sight.first + lastInSight) / 2), last, first]) {
      const page = pageOf(index)
      if (underWay.size >= AT_ONCE) return
      if (index >= 0 && !pages.has(page) && !underWay.has(page)) void readPage(page)
    }
  }

  async function readPage(page: number): Promise<void> {
    const own = run
    underWay.add(page)
    // From the nearest page before it whose beginning is known, so that scrolling on costs the service nothing.
    const from = [...cursors.keys()].filter((known) => known <= page).reduce((one, other) => Math.max(one, other), 0)
    const { countedAt } = store.getState()
    const range = { cursor: cursors.get(from), offset: (page - from) * PAGE, limit: PAGE, previews, ...orderOf(filter) }
    const list = await client
      .call('jobList', { query: { ...queryOf(filter, countedAt), ...range } })
      .catch((error: unknown) => error as Error)
    if (own !== run || stopped) return
    underWay.delete(page)
    if (list instanceof Error) {
      store.setState({ error: list })
      return
    }
    if (list.cursor !== undefined && filter.text === undefined) cursors.set(page + 1, list.cursor)
    addPage(page, list.requests, list.cursor === undefined)
    readSight()
  }

  function addPage(page: number, jobs: readonly JobListItem[], isLast: boolean): void {
    const { pages, rows, count } = store.getState()
    const middle = pageOf((sight.first + sight.last) / 2)
    const near = [...pages.keys(), page].sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))
    const nearest = new Set(near.slice(0, MAX_PAGES))
    const nextPages = new Map([...pages, [page, jobs.map(({ id }) => id)] as const].filter(([one]) => nearest.has(one)))
    const nextRows = new Map<string, JobListItem>()
    const fetched = new Map(jobs.map((job) => [job.id, job]))
    for (const id of [...nextPages.values()].flat()) {
      const row = fetched.get(id) ?? rows.get(id)
      if (row !== undefined) nextRows.set(id, row)
    }
    // Jobs that have left the filter since they were counted make the list end sooner.
    const end = page * PAGE + jobs.length
    store.setState({ pages: nextPages, rows: nextRows, error: undefined, count: isLast ? Math.min(count, end) : count })
  }

  function onEvents(events: readonly NumberedEvent[]): void {
    meanwhile?.push(...events)
    const { rows, phase } = store.getState()
    if (phase !== 'shown') return
    const changed = new Map<string, JobListItem>()
    let mayMatch = false
    for (const { event } of events) {
      if (event.type !== 'job') continue
      const { jobId, endpointId, from, to, workerId } = event
      const row = changed.get(jobId) ?? rows.get(jobId)
      if (row !== undefined) {
        const { workerId: _before, ...rest } = row
        const worker = to === 'IN_QUEUE' ? undefined : (workerId ?? row.workerId)
        changed.set(jobId, { ...rest, status: to, ...(worker === undefined ? {} : { workerId: worker }) })
        stale.add(jobId)
        continue
      }
      const now = letsThrough(filter, { endpointId, states: foundUnder(event), workerId })
      const before = from !== undefined && letsThrough(filter, { endpointId, states: [from], workerId })
      if (filter.text !== undefined) mayMatch ||= now
      else if (now && (!before || entered.has(jobId))) entered.add(jobId)
      else if (!now) entered.delete(jobId)
    }
    if (changed.size > 0) store.setState({ rows: new Map([...rows, ...changed]) })
    if (stale.size > 0) later('read again', READ_AGAIN_MS, readStale)
    if (mayMatch || changed.size > 0 || entered.size !== store.getState().fresh) notifyFresh(mayMatch)
  }

  function notifyFresh(mayMatch: boolean): void {
    const isOpen = filter.to === undefined || filter.to > platform.now() // a span that has ended gets no new jobs
    if (!isOpen) return
    if (!reads) later('begin anew', BEGIN_ANEW_MS, () => void (reads ? notifyFresh(mayMatch) : begin()))
    else if (mayMatch) later('count', BEGIN_ANEW_MS, () => void countSince())
    else if (filter.text === undefined) store.setState({ fresh: entered.size })
  }

  // Which jobs a search finds is known to the service alone.
  async function countSince(): Promise<void> {
    const own = run
    const { cursor, countedAt } = store.getState()
    const query = { ...queryOf(filter, countedAt), after: cursor }
    const counted = await client.call('jobCount', { query }).catch(() => undefined)
    if (own === run && counted !== undefined) store.setState({ fresh: counted.count })
  }

  function readStale(): void {
    const { pages } = store.getState()
    const inSight: string[] = []
    for (let page = pageOf(sight.first); page <= pageOf(sight.last); page++) inSight.push(...(pages.get(page) ?? []))
    const order = [...new Set([...inSight.filter((id) => stale.has(id)), ...stale])].slice(0, READ_IDS)
    for (const id of order) stale.delete(id)
    void readRows(order)
    if (stale.size > 0) later('read again', READ_AGAIN_MS, readStale)
  }

  async function readRows(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const own = run
    const list = await client.call('jobList', { query: { ids: ids.join(','), previews } }).catch(() => undefined)
    if (own !== run || stopped || list === undefined) return
    const { rows } = store.getState()
    const fetched = new Map(list.requests.map((job) => [job.id, job]))
    const next = new Map(rows)
    for (const id of ids) {
      const job = fetched.get(id)
      if (job === undefined) next.delete(id)
      // It has changed since it was asked for: it is read once more, and must not jump back until then.
      else if (next.has(id) && !stale.has(id)) next.set(id, withFound(next.get(id), job))
    }
    store.setState({ rows: next })
  }

  return Object.assign(store, {
    filter,
    start() {
      stopped = false
      void begin()
    },
    begin,
    onMissed() {
      const { phase, rows } = store.getState()
      if (phase !== 'shown' || !reads) {
        void begin()
        return
      }
      for (const id of rows.keys()) stale.add(id)
      readStale()
      void countSince()
    },
    setSight(first: number, last: number) {
      sight = { first, last }
      readSight()
    },
    setReading(next: boolean) {
      if (reads === next) return
      reads = next
      if (!reads && store.getState().fresh > 0) void begin()
    },
    onEvents,
    patch(ids: readonly string[], change: Partial<JobListItem>) {
      const { rows } = store.getState()
      const next = new Map(rows)
      for (const id of ids) {
        const row = next.get(id)
        if (row !== undefined) next.set(id, { ...row, ...change })
      }
      store.setState({ rows: next })
    },
    readAgain(ids: readonly string[]) {
      for (const id of ids) stale.add(id)
      readStale()
    },
    stop() {
      stopped = true
      planner.clear()
    },
  })
}
