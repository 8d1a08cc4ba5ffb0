import { WORKER_STATES } from '../../contract/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import { DAY_MS } from '../../lib/units.ts'
import type { Storage } from '../../storage/storage.ts'
import type { RecentSpans } from '../jobs/rules/expected-start.ts'
import { measure, type RecordedWorkerEvent } from './rules/measure.ts'

export type Span = { readonly from: number; readonly to: number }

export const LEARN_MS = 7 * DAY_MS
const EVENTS_PAGE = 1000
const MOST_EVENTS = 20_000
// Source: ours. More jobs add little accuracy, and views of waiting jobs read them every two seconds.
const RECENT_JOBS = 200
const RECENT_EVENTS = 200
const RECENT_MS = 2000

/** Recent measurements of an endpoint, cached for two seconds since waiting pages poll. */
export function createRecentSpans({
  storage,
  clock,
}: {
  readonly storage: Pick<Storage, 'jobs' | 'events'>
  readonly clock: Pick<Clock, 'now'>
}): (endpointId: string) => RecentSpans {
  const read = new Map<string, { readonly at: number; readonly spans: RecentSpans }>()
  return (endpointId) => {
    const now = clock.now()
    const known = read.get(endpointId)
    if (known !== undefined && now - known.at < RECENT_MS) return known.spans
    for (const [id, { at }] of read) if (now - at >= RECENT_MS) read.delete(id)
    const jobs = storage.jobs.list({ endpointId, states: ['COMPLETED', 'FAILED'], limit: RECENT_JOBS })
    const events = readWorkerEvents(storage, endpointId, { from: now - LEARN_MS, to: now }, RECENT_EVENTS)
    const { coldStartMs, turnaroundMs = 0 } = measure(
      jobs.map((job) => ({ ...job, lostAfterMs: [] })),
      events,
    )
    const spans = { executionMs: jobs.flatMap(({ executionMs }) => executionMs ?? []), coldStartMs, turnaroundMs }
    read.set(endpointId, { at: now, spans })
    return spans
  }
}

export function readWorkerEvents(
  { events }: Pick<Storage, 'events'>,
  endpointId: string,
  { from, to }: Span,
  most = MOST_EVENTS,
): RecordedWorkerEvent[] {
  const found: RecordedWorkerEvent[] = []
  let before = Number.MAX_SAFE_INTEGER
  while (found.length < most) {
    const page = events.fleet({
      kinds: ['scale', 'worker', 'crash'],
      endpointId,
      from,
      to,
      before,
      limit: Math.min(most, EVENTS_PAGE),
    })
    for (const { at, workerId, event } of page) {
      const state = WORKER_STATES.find((name) => name === event)
      if (workerId !== undefined && state !== undefined) found.push({ at, workerId, state })
    }
    before = page.at(-1)?.id ?? 0
    if (page.length < EVENTS_PAGE) break
  }
  return found.reverse()
}
