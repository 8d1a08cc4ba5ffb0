import type { EndpointStats, ServiceStats } from '../../contract/live.ts'
import type { Clock } from '../../lib/clock.ts'
import { MINUTE_MS } from '../../lib/units.ts'
import type { Storage } from '../../storage/storage.ts'
import { isFailed, MAY_HAVE_FAILED_FROM } from '../jobs/rules/requests/is-failed.ts'
import type { MetricsRecorder } from './metrics.ts'
import { type Step, toTotals } from './rules/metrics.ts'

const MINUTES = 60
const REQUESTS_A_PAGE = 100

type CachedStep = { readonly at: number; readonly step: Step }
type LastError = Pick<EndpointStats, 'lastError'>

export type Stats = ReturnType<typeof createStats>

export function createStats(
  storage: Pick<Storage, 'endpoints' | 'jobs' | 'metrics' | 'requests'>,
  clock: Clock,
  metrics: Pick<MetricsRecorder, 'openSteps'>,
) {
  let cached: ReadonlyMap<string, readonly CachedStep[]> = new Map()
  const lastErrors = new Map<string, { readonly failed: number; readonly lastError: LastError }>()

  function stepsOf(endpointId: string, from: number, to: number): readonly CachedStep[] {
    const old = (cached.get(endpointId) ?? []).filter(({ at }) => at >= from)
    const fresh = storage.metrics.read(endpointId, old.at(-1)?.at ?? from, to)
    return [...old.slice(0, -1), ...fresh.map(({ at, point }) => ({ at, step: JSON.parse(point) as Step }))]
  }

  return {
    read(): ServiceStats {
      const at = clock.now()
      // Whole minutes, so that chart bars do not change.
      const to = (Math.floor(at / MINUTE_MS) + 1) * MINUTE_MS
      const from = to - MINUTES * MINUTE_MS
      const endpoints = storage.endpoints.all()
      cached = new Map(endpoints.map(({ id }) => [id, stepsOf(id, from, to)]))
      return {
        at,
        endpoints: endpoints.map(({ id, config }) => ({
          ...statsOf(id, [...(cached.get(id) ?? []), ...metrics.openSteps(id)], from),
          ...(config.loadBalanced === undefined ? lastErrorOf(id) : lastRequestErrorOf(id)),
        })),
      }
    },
  }

  function lastErrorOf(endpointId: string): LastError {
    const [job] = storage.jobs.list({ endpointId, states: ['FAILED'], limit: 1 })
    if (job === undefined) return {}
    return { lastError: { jobId: job.id, at: job.finishedAt ?? job.createdAt, error: job.error ?? '' } }
  }

  // Searched only when the count changed, because it may scan all requests.
  function lastRequestErrorOf(endpointId: string): LastError {
    const { failed } = storage.endpoints.totals(endpointId)
    const known = lastErrors.get(endpointId)
    if (known?.failed === failed) return known.lastError
    const lastError = failed === 0 ? {} : newestRequestErrorOf(endpointId)
    lastErrors.set(endpointId, { failed, lastError })
    return lastError
  }

  function newestRequestErrorOf(endpointId: string): LastError {
    const range = { endpointId, statusFrom: MAY_HAVE_FAILED_FROM, statusTo: 599, limit: REQUESTS_A_PAGE }
    for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; ) {
      const page = storage.requests.list({ ...range, before })
      const request = page.find(isFailed)
      if (request !== undefined) {
        const { at, status, method, path, error } = request
        return { lastError: { at, error: error ?? `${status} on ${method} ${path}` } }
      }
      before = page.at(-1)?.id
    }
    return {}
  }
}

function statsOf(endpointId: string, steps: readonly CachedStep[], from: number): EndpointStats {
  const submitted = Array.from({ length: MINUTES }, () => 0)
  for (const { at, step } of steps) {
    const minute = Math.floor((at - from) / MINUTE_MS)
    submitted[minute] = (submitted[minute] ?? 0) + step.submitted
  }
  const { execution } = toTotals(steps.map(({ step }) => step))
  return {
    endpointId,
    ...(execution === undefined ? {} : { executionP50: execution.p50, executionP99: execution.p99 }),
    submitted,
  }
}
