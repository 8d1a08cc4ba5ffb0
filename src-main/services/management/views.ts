import type { EndpointView, WorkerView } from '../../contract/endpoint.ts'
import type { HealthRecord, JobListItem } from '../../contract/job.ts'
import type { WebhookDelivery } from '../../contract/management.ts'
import { healthCounts } from '../../domain/worker/health-counts.ts'
import { whyJobsWait } from '../../domain/worker/waiting-reason.ts'
import type { Clock, Endpoint, Fleet, Job, Storage } from '../ports.ts'
import type { Leases } from '../queue/leases.ts'
import type { QueueCounts } from '../queue/queue-counts.ts'
import type { WorkerSupervisor } from '../workers/supervise.ts'
import type { LiveWorker, WorkerRegistry } from '../workers/worker-registry.ts'

/** What the views are made from. */
export type ViewDeps = {
  readonly storage: Storage
  readonly clock: Clock
  readonly fleet: Pick<Fleet, 'capacity'>
  readonly counts: QueueCounts
  readonly leases: Leases
  readonly registry: WorkerRegistry
  readonly supervisor: Pick<WorkerSupervisor, 'status'>
}

// Counting further would cost more than it says.
const AHEAD_MAX = 10_000

/**
 * Health of an endpoint: all from memory, so it costs the same with a million jobs. A worker that crashed and is kept
 * back before its next try counts as unhealthy, as on the platform.
 */
export function readHealth(
  { storage, clock, counts, registry, supervisor }: ViewDeps,
  endpointId: string,
): HealthRecord {
  const { completed, failed, retried } = storage.endpoints.totals(endpointId)
  const { normal, lowPriority, inProgress } = counts.of(endpointId)
  const { decision, crashLoop } = supervisor.status(endpointId)
  const workers = healthCounts(registry.ofEndpoint(endpointId), decision?.throttled ?? 0)
  const keptBack = crashLoop !== undefined && crashLoop.backOffUntil > clock.steady() ? 1 : 0
  return {
    jobs: { completed, failed, inProgress, inQueue: normal + lowPriority, retried },
    workers: { ...workers, unhealthy: workers.unhealthy + keptBack },
  }
}

/** Why jobs of an endpoint wait, or this one job; undefined when none waits. */
export function waitingReason(deps: ViewDeps, endpoint: Endpoint, job?: Job): string | undefined {
  const { storage, clock, fleet, counts, registry, supervisor } = deps
  const queue = counts.of(endpoint.id)
  if (job === undefined ? queue.normal + queue.lowPriority === 0 : job.status !== 'IN_QUEUE') return undefined
  const { crashLoop } = supervisor.status(endpoint.id)
  return whyJobsWait({
    config: endpoint.config,
    paused: endpoint.paused,
    queue,
    workers: registry.ofEndpoint(endpoint.id),
    crashLoop,
    noCapacityReason: throttledReason({ fleet, supervisor }, endpoint),
    job: job && { lowPriority: job.lowPriority === 1, ahead: storage.jobs.waitingBefore(job, AHEAD_MAX) },
    now: clock.steady(),
  })
}

/** Why a worker that is wanted finds no place; undefined: none is wanted, or each finds one. */
function throttledReason(
  { fleet, supervisor }: Pick<ViewDeps, 'fleet' | 'supervisor'>,
  { id, config }: Endpoint,
): string | undefined {
  const { decision } = supervisor.status(id)
  if ((decision?.throttled ?? 0) === 0) return undefined
  return decision?.throttledReason ?? fleet.capacity(config).reason
}

/**
 * Where clients reach an endpoint. A load-balanced one has two addresses; `url` is the one that every client can
 * resolve. @param baseUrl address of the service, without a slash at the end
 */
export function addressesOf(
  { id, config }: Endpoint,
  baseUrl: string,
): { readonly url: string; readonly hostUrl?: string } {
  if (config.loadBalanced === undefined) return { url: `${baseUrl}/v2/${id}` }
  return { url: `${baseUrl}/lb/${id}`, hostUrl: `http://${id}.localhost:${baseUrl.split(':').at(-1)}` }
}

/** An endpoint as people see it. @param baseUrl address of the service, without a slash at the end */
export function viewEndpoint(deps: ViewDeps, endpoint: Endpoint, baseUrl: string): EndpointView {
  const reason = waitingReason(deps, endpoint)
  const throttled = throttledReason(deps, endpoint)
  return {
    ...endpoint.config,
    id: endpoint.id,
    paused: endpoint.paused,
    createdAt: endpoint.createdAt,
    updatedAt: endpoint.updatedAt,
    ...addressesOf(endpoint, baseUrl),
    ...(reason === undefined ? {} : { waitingReason: reason }),
    ...(throttled === undefined ? {} : { throttledReason: throttled }),
  }
}

/** A worker as people see it. */
export function viewWorker({ leases }: Pick<ViewDeps, 'leases'>, worker: LiveWorker): WorkerView {
  return {
    id: worker.id,
    endpointId: worker.endpointId,
    state: worker.state,
    ...(worker.reason === undefined ? {} : { reason: worker.reason }),
    ...(worker.replacement === undefined ? {} : { replacement: worker.replacement }),
    ...(worker.placed?.pid === undefined ? {} : { pid: worker.placed.pid }),
    ...(worker.placed?.container === undefined ? {} : { container: worker.placed.container }),
    ...(worker.placed?.gpus === undefined ? {} : { gpus: [...worker.placed.gpus] }),
    startedAt: worker.startedWallAt,
    ...(worker.lastSeenWallAt === undefined ? {} : { lastSeenAt: worker.lastSeenWallAt }),
    jobs: leases.ofWorker(worker.id).map((lease) => lease.jobId),
    jobsDone: worker.jobsDone,
  }
}

/** A webhook delivery as people see it: when it is tried next as wall time. */
export function viewDelivery({ clock }: Pick<ViewDeps, 'clock'>, delivery: WebhookDelivery): WebhookDelivery {
  const { nextAt } = delivery
  return nextAt === undefined ? delivery : { ...delivery, nextAt: nextAt - clock.steady() + clock.now() }
}

/** A job as a row of a list. */
export function viewJobRow(job: Job): JobListItem {
  return {
    id: job.id,
    endpointId: job.endpointId,
    status: job.status,
    createdAt: job.createdAt,
    ...(job.finishedAt === null ? {} : { finishedAt: job.finishedAt }),
    ...(job.delayMs === null ? {} : { delayTime: job.delayMs }),
    ...(job.executionMs === null ? {} : { executionTime: job.executionMs }),
    ...(job.workerId === null ? {} : { workerId: job.workerId }),
    ...(job.retries === 0 ? {} : { retries: job.retries }),
    ...(job.error === null ? {} : { error: job.error }),
  }
}
