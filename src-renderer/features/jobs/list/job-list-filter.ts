import { JOB_STATES, type JobState } from '../../../../src-main/contract/job.ts'
import { present } from '../../../../src-main/lib/json/plain.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src-main/lib/units.ts'

export type JobListFilter = {
  readonly endpoint?: string
  readonly states: readonly JobState[]
  readonly worker?: string
  readonly batch?: string
  readonly text?: string
  /** A span up to now like `1h`, else times in ms since the epoch. */
  readonly since?: Since
  readonly from?: number
  readonly to?: number
}

/** Spans up to now, with their lengths in ms. */
export const SINCE = { '15m': 15 * MINUTE_MS, '1h': HOUR_MS, '24h': DAY_MS, '7d': 7 * DAY_MS } as const

export type Since = keyof typeof SINCE

export function readFilter(search: URLSearchParams): JobListFilter {
  const wanted = (search.get('status') ?? '').split(',')
  const since = (Object.keys(SINCE) as Since[]).find((name) => name === search.get('since'))
  const [from, to] = [readTime(search.get('from')), readTime(search.get('to'))]
  return {
    states: JOB_STATES.filter((state) => wanted.includes(state)),
    ...textOf('endpoint', search.get('endpoint')),
    ...textOf('worker', search.get('worker')),
    ...textOf('batch', search.get('batch')),
    ...textOf('text', search.get('q')),
    ...present({ since, from, to }),
  }
}

export function writeFilter(before: URLSearchParams, filter: JobListFilter): URLSearchParams {
  const next = new URLSearchParams(before)
  const set = (name: string, value: string | number | undefined) => {
    if (value === undefined || value === '') next.delete(name)
    else next.set(name, String(value))
  }
  set('status', filter.states.join(','))
  set('endpoint', filter.endpoint)
  set('worker', filter.worker)
  set('batch', filter.batch)
  set('q', filter.text)
  set('since', filter.since)
  set('from', filter.from)
  set('to', filter.to)
  return next
}

export function isEmptyFilter({ states, ...rest }: JobListFilter): boolean {
  return states.length === 0 && Object.keys(rest).length === 0
}

/** @param now end of the filter's spans, ms since the epoch */
export function queryOf(filter: JobListFilter, now: number) {
  return {
    endpoint: filter.endpoint,
    status: filter.states.length === 0 ? undefined : filter.states.join(','),
    worker: filter.worker,
    batch: filter.batch,
    q: filter.text,
    from: filter.since === undefined ? filter.from : now - SINCE[filter.since],
    to: filter.to,
  } as const
}

/** @param cursor limits the action to the jobs counted with it */
export function bodyOf(filter: JobListFilter, states: readonly JobState[], cursor: string, now: number) {
  const { status: _all, ...query } = queryOf(filter, now)
  return { ...query, status: [...states], cursor }
}

/** Events tell neither texts nor batches. */
export const isKnownFromEvents = ({ text, batch }: JobListFilter) => text === undefined && batch === undefined

export function letsThrough(
  filter: JobListFilter,
  job: { readonly endpointId: string; readonly states: readonly JobState[]; readonly workerId: string | undefined },
): boolean {
  if (filter.endpoint !== undefined && filter.endpoint !== job.endpointId) return false
  if (filter.worker !== undefined && filter.worker !== job.workerId) return false
  return filter.states.length === 0 || job.states.some((state) => filter.states.includes(state))
}

function textOf<Name extends string>(name: Name, text: string | null): { readonly [key in Name]?: string } {
  return text === null || text === '' ? {} : ({ [name]: text } as { readonly [key in Name]?: string })
}

function readTime(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
