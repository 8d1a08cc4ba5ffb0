/** Built at most once a second, in slices, so that a thousand endpoints block nobody. */
import { WORKER_POOLS, WORKER_STATES } from '../../contract/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import { pause } from '../../lib/wait.ts'
import type { Fleet, ServiceHost } from '../../runtimes/port.ts'
import type { Endpoint, Storage } from '../../storage/storage.ts'
import { endpointKind } from '../endpoints/rules/endpoint-kind.ts'
import { type QueueCounts, waitingJobs } from '../jobs/queue/queue-counts.ts'
import type { Settings } from '../settings/settings.ts'
import type { WorkerCalls } from '../workers/worker-calls.ts'
import type { RequestCounts } from './count-requests.ts'
import type { MetricsRecorder, SinceStart } from './metrics.ts'
import { createExposition, type Exposition, type ExpositionForm } from './rules/exposition.ts'
import type { Traces } from './traces.ts'

export type ScrapeDeps = {
  readonly storage: Pick<Storage, 'endpoints' | 'jobs' | 'figures'>
  readonly clock: Clock
  readonly fleet: Pick<Fleet, 'containerHost'>
  readonly host: Pick<ServiceHost, 'space' | 'readProcess'>
  readonly counts: QueueCounts
  readonly workersOf: (endpoint: Endpoint) => Readonly<Record<string, number>>
  readonly calls: Pick<WorkerCalls, 'lateReports'>
  readonly metrics: Pick<MetricsRecorder, 'sinceStart'>
  readonly requestCounts: Pick<RequestCounts, 'all'>
  readonly traces: Pick<Traces, 'counts'>
  readonly settings: Pick<Settings, 'get'>
  readonly facts: () => { readonly version: string; readonly startedAt: number }
}

export type Scrape = ReturnType<typeof createScrape>

// Age up to which a page is reused; source: ours, scrapers come every few seconds at most.
const FRESH_MS = 1000
const SLICE_MS = 3

export function createScrape(deps: ScrapeDeps) {
  const { clock } = deps
  let newest: { readonly page: Promise<Exposition>; madeAt?: number } | undefined
  const isOld = () => newest?.madeAt !== undefined && clock.steady() - newest.madeAt >= FRESH_MS

  function begin() {
    const fresh: typeof newest = { page: makePage(deps) }
    fresh.page.then(
      () => {
        fresh.madeAt = clock.steady()
      },
      () => {
        if (newest === fresh) newest = undefined
      },
    )
    return fresh
  }

  return {
    async read(form: ExpositionForm): Promise<string> {
      if (newest === undefined || isOld()) newest = begin()
      return (await newest.page).text(form)
    },
  }
}

async function makePage(deps: ScrapeDeps): Promise<Exposition> {
  const { storage, clock } = deps
  const page = createExposition()
  await addService(page, deps)
  let since = clock.steady()
  for (const endpoint of storage.endpoints.all()) {
    addEndpoint(page, deps, endpoint)
    if (clock.steady() - since < SLICE_MS) continue
    await pause(clock, 0)
    since = clock.steady()
  }
  return page
}

async function addService(page: Exposition, deps: ScrapeDeps): Promise<void> {
  const { storage, fleet, host, calls, requestCounts, traces, settings, facts } = deps
  const { version, startedAt } = facts()
  const [database, space, cards] = await Promise.all([
    storage.figures(),
    host.space().catch(() => undefined), // a slow disk must not hide all other figures
    fleet.containerHost?.gpus(false),
  ])
  const own = host.readProcess()
  page.add('drydock_build_info', 1, [version])
  page.add('process_start_time_seconds', startedAt / 1000)
  page.add('process_cpu_seconds', own.cpuSeconds)
  page.add('process_resident_memory_bytes', own.residentBytes)
  page.add('drydock_event_loop_busy_seconds', own.loopBusySeconds)
  page.add('drydock_event_loop_delay_p99_seconds', own.loopDelay.p99Seconds)
  page.add('drydock_event_loop_delay_max_seconds', own.loopDelay.maxSeconds)
  page.add('drydock_database_size_bytes', database.sizeBytes)
  page.add('drydock_database_log_bytes', database.logBytes)
  page.addSummary('drydock_database_sync_seconds', { sum: database.syncs.seconds, count: database.syncs.count })
  page.add('drydock_disk_free_bytes', space?.freeBytes)
  page.add('drydock_disk_size_bytes', space?.totalBytes)
  page.add('drydock_workers_max', settings.get().maxWorkers)
  page.add('drydock_late_results', calls.lateReports())
  for (const { id, index, name } of cards?.inventory.cards ?? []) {
    const held = new Set(cards?.holds.flatMap(({ gpuId, workerId }) => (gpuId === id ? workerId : [])))
    page.add('drydock_gpu_workers', held.size, [index, name])
  }
  const { exported, dropped } = traces.counts()
  page.add('drydock_trace_spans_exported', exported)
  page.add('drydock_trace_spans_dropped', dropped)
  for (const { route, method, status, count } of requestCounts.all())
    page.add('drydock_http_requests', count, [route, method, status])
}

function addEndpoint(page: Exposition, deps: ScrapeDeps, endpoint: Endpoint): void {
  const { counts, workersOf, metrics } = deps
  const { id, config } = endpoint
  const count = counts.of(id)
  page.add('drydock_endpoint_info', 1, [id, config.name ?? id, endpointKind(config)])
  page.add('drydock_jobs', waitingJobs(count), [id, 'IN_QUEUE'])
  page.add('drydock_jobs', count.inProgress, [id, 'IN_PROGRESS'])
  page.add('drydock_queue_jobs', count.normal, [id, 'normal'])
  page.add('drydock_queue_jobs', count.lowPriority, [id, 'low'])
  page.add('drydock_queue_jobs', count.batch, [id, 'batch'])
  if (waitingJobs(count) > 0) page.add('drydock_queue_oldest_seconds', oldestSeconds(deps, id), [id])
  const workers = workersOf(endpoint)
  for (const state of WORKER_STATES) page.add('drydock_workers', workers[state] ?? 0, [id, state])
  addCounts(page, id, metrics.sinceStart(id) ?? NOTHING)
}

const NOTHING: SinceStart = {
  ...{ submitted: 0, completed: 0, failed: 0, retried: 0, coldStarts: 0, timedOut: 0, cancelled: 0 },
  ...{ delay: {}, execution: {}, delayMs: 0, executionMs: 0 },
}

function addCounts(page: Exposition, id: string, since: SinceStart): void {
  page.add('drydock_jobs_submitted', since.submitted, [id])
  page.add('drydock_jobs_ended', since.completed, [id, 'COMPLETED'])
  page.add('drydock_jobs_ended', since.failed - since.timedOut, [id, 'FAILED'])
  page.add('drydock_jobs_ended', since.timedOut, [id, 'TIMED_OUT'])
  page.add('drydock_jobs_ended', since.cancelled, [id, 'CANCELLED'])
  page.add('drydock_jobs_retried', since.retried, [id])
  page.add('drydock_worker_cold_starts', since.coldStarts ?? 0, [id])
  // Idle endpoints, usually most of a thousand, have no samples.
  if (Object.keys(since.delay).length > 0)
    page.addHistogram('drydock_job_waiting_seconds', since.delay, since.delayMs, [id])
  if (Object.keys(since.execution).length > 0)
    page.addHistogram('drydock_job_execution_seconds', since.execution, since.executionMs, [id])
}

// Undefined for load-balanced endpoints, whose requests wait in memory for seconds at most.
function oldestSeconds({ storage, clock }: ScrapeDeps, endpointId: string): number | undefined {
  const waiting = WORKER_POOLS.flatMap((pool) =>
    ([0, 1] as const).flatMap((priority) => storage.jobs.oldestWaiting(endpointId, pool, priority) ?? []),
  )
  if (waiting.length === 0) return undefined
  return Math.max(0, clock.steady() - Math.min(...waiting.map(({ queuedAt }) => queuedAt))) / 1000
}
