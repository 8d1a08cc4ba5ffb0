import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src-main/lib/units.ts'
import { read } from '../browser/read.ts'
import type { ApiClient } from './client.ts'

/**
 * Chart ranges in ms: `gridMs` are multiples of their steps, `everyMs` the interval of new points, `words` follow "in
 * the last".
 */
export const RANGES = {
  '5 m': { spanMs: 300_000, gridMs: 10_000, everyMs: 10_000, words: '5 minutes' },
  '1 h': { spanMs: HOUR_MS, gridMs: MINUTE_MS, everyMs: 10_000, words: 'hour' },
  '24 h': { spanMs: DAY_MS, gridMs: 12 * MINUTE_MS, everyMs: 60_000, words: '24 hours' },
  '7 d': { spanMs: 7 * DAY_MS, gridMs: 84 * MINUTE_MS, everyMs: 300_000, words: '7 days' },
} as const

export type Range = keyof typeof RANGES

// As many as a chart of half the window can resolve.
const POINTS = 120
const STATS_EVERY_MS = 10_000

export const statsQuery = (client: ApiClient) =>
  queryOptions({ ...read(client, ['figures'], 'figuresRead'), refetchInterval: STATS_EVERY_MS })

export const publishedQuery = (client: ApiClient, graphId: string) =>
  read(client, ['published', graphId], 'publishedRead', { path: { graphId } })

export const dependentsQuery = (client: ApiClient, endpointId: string) =>
  queryOptions({
    ...read(client, ['dependents', endpointId], 'endpointDependents', { path: { endpointId } }),
    gcTime: 0,
    refetchInterval: 5000,
  })

// Shorter ranges show the present; first visitors want the last activity.
const FITTING = ['1 h', '24 h', '7 d'] as const satisfies readonly Range[]

/** @param lastAt an endpoint's last activity, ms since the epoch; undefined if there was none */
export function fittingRange(lastAt: number | undefined, now: number): Range {
  if (lastAt === undefined) return FITTING[0]
  return FITTING.find((range) => lastAt >= spanOf(range, now).from) ?? '7 d'
}

/** Chosen once per visit, so that charts stay as they are. */
export const fittingRangeQuery = (client: ApiClient, endpointId: string, now: () => number) =>
  queryOptions({
    queryKey: ['fitting-range', endpointId],
    queryFn: async ({ signal }) => {
      const at = now()
      const query = { from: at, to: at, points: 1 }
      const { lastActiveAt } = await client.call('endpointMetrics', { path: { endpointId }, query, signal })
      return fittingRange(lastActiveAt, at)
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

/**
 * Starts on a whole step, so that every step is complete.
 * @param at ms since the epoch
 */
export function spanOf(range: Range, at: number): { readonly from: number; readonly end: number } {
  const { spanMs, gridMs } = RANGES[range]
  const end = (Math.floor(at / gridMs) + 1) * gridMs
  return { from: end - spanMs, end }
}

export const metricsQuery = (client: ApiClient, endpointId: string, range: Range, now: () => number) =>
  queryOptions({
    queryKey: ['metrics', endpointId, range],
    queryFn: async ({ signal }) => {
      const to = now()
      const { from, end } = spanOf(range, to)
      const path = { endpointId }
      return {
        from,
        to,
        ...(await client.call('endpointMetrics', { path, query: { from, to: end, points: POINTS }, signal })),
      }
    },
    placeholderData: keepPreviousData,
    refetchInterval: RANGES[range].everyMs,
  })

// More cannot be told apart on screen; the newest of longer ranges.
const MARKS = 1000

export const fleetEventsQuery = (client: ApiClient, endpointId: string, range: Range, now: () => number) =>
  queryOptions({
    queryKey: ['fleet-events', { endpoint: endpointId, range }],
    queryFn: ({ signal }) => {
      const query = { endpoint: endpointId, from: spanOf(range, now()).from, limit: MARKS }
      return client.call('fleetEventList', { query, signal })
    },
    placeholderData: keepPreviousData,
    refetchInterval: RANGES[range].everyMs,
  })

export const catalogQuery = (client: ApiClient) => read(client, ['catalog'], 'catalogList')

export const latestJobsQuery = (client: ApiClient, endpointId: string, limit: number) =>
  read(client, ['jobs', { endpoint: endpointId, limit }], 'jobList', {
    query: { endpoint: endpointId, limit, previews: 'true' },
  })

// The newest; more do not fit on a screen.
const RUNNING = 100

export const runningJobsQuery = (client: ApiClient) =>
  read(client, ['jobs', { running: true }], 'jobList', {
    query: { status: 'IN_PROGRESS', limit: RUNNING, previews: 'true' },
  })
