/**
 * A virtual job list. Pages from a count's cursor contain only jobs present then, so rows keep their positions; new
 * jobs are only counted while the user reads. Events patch rows, which are reread soon after.
 */
import { createStore } from 'zustand/vanilla'
import type { JobListItem } from '../../../../src-main/contract/job.ts'
import { foundUnder } from '../../../../src-main/features/jobs/rules/time-limit.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import type { NumberedEvent } from '../../../api-client/event-stream.ts'
import type { Platform } from '../../../browser/platform.ts'
import { createPlanner } from '../../../live/follow-events.ts'
import { isKnownFromEvents, type JobListFilter, letsThrough, queryOf } from './job-list-filter.ts'

/** Jobs per page; source: ours, three windows of rows. */
export const PAGE = 100
// When there are more, the pages nearest to the visible rows stay.
const MAX_PAGES = 20
const AT_ONCE = 2
// Rows read before and after the visible ones, so that scrolling finds them loaded.
const AHEAD = 40
const READ_AGAIN_MS = 400
const BEGIN_ANEW_MS = 500
const READ_IDS = 100
const previews = 'true'
const orderOf = ({ text }: JobListFilter) => (text === undefined ? {} : ({ order: 'match' } as const))

export type JobWindowState = {
  readonly phase: 'loading' | 'shown' | 'failed'
  readonly error: Error | undefined
  /** Jobs in the list; `more` if the service stopped counting. */
  readonly count: number
  readonly more: boolean
  readonly cursor: string
  /** ms since the epoch: end of spans up to now. */
  readonly countedAt: number
  readonly pages: ReadonlyMap<number, readonly string[]>
  readonly rows: ReadonlyMap<string, JobListItem>
  readonly fresh: number
  readonly anew: number
}

export type JobWindow = ReturnType<typeof createJobWindow>

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

/** The row at an index; undefined if not yet read or the job is gone. */
export function rowAt({ pages, rows }: JobWindowState, index: number): JobListItem | undefined {
  const id = pages.get(Math.floor(index / PAGE))?.[index % PAGE]
  return id === undefined ? undefined : rows.get(id)
}

// Unchanged rows keep their identity, so they do not re-render.
function sameOr(before: JobListItem | undefined, now: JobListItem): JobListItem {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now
}

// A row reread by its id was not searched for, so it keeps its earlier match.
function withFound(before: JobListItem | undefined, now: JobListItem): JobListItem {
  return before?.found === undefined ? now : { ...now, found: before.found }
}

export function createJobWindow({
  client,
  platform,
  filter,
}: {
  readonly client: Pick<ApiClient, 'call'>
  readonly platform: Pick<Platform, 'after' | 'now'>
  readonly filter: JobListFilter
}) {
  const store = createStore<JobWindowState>(() => EMPTY)
  const planner = createPlanner(platform)
  const stale = new Set<string>()
  const entered = new Set<string>()
  // Events during a read may precede or follow it; undefined: not reading.
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

  // Re-reads rows instead of applying it: the shown state may be newer.
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
    // Visible pages, two or three, come before their neighbours.
    for (const index of [sight.first, lastInSight, Math.floor((sight.first + lastInSight) / 2), last, first]) {
      const page = pageOf(index)
      if (underWay.size >= AT_ONCE) return
      if (index >= 0 && !pages.has(page) && !underWay.has(page)) void readPage(page)
    }
  }

  async function readPage(page: number): Promise<void> {
    const own = run
    underWay.add(page)
    // From the nearest page with a known cursor, so that scrolling is cheap.
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
    // Jobs that left the filter since the count shorten the list.
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
      if (!isKnownFromEvents(filter)) mayMatch ||= now
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
    else if (isKnownFromEvents(filter)) store.setState({ fresh: entered.size })
  }

  // Only the service knows the matches of a search, and the jobs of a batch.
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
      // A row that changed during its read is read again and must not jump back until then.
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
