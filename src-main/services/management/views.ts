import type { EndpointCrash, EndpointState, EndpointView, WorkerView } from '../../contract/endpoint.ts'
import type { HealthRecord, JobListItem } from '../../contract/job.ts'
import type { WebhookDelivery } from '../../contract/management.ts'
import { endpointStateOf } from '../../domain/worker/endpoint-state.ts'
import { healthCounts } from '../../domain/worker/health-counts.ts'
import { type WaitingReason, whyJobsWait } from '../../domain/worker/waiting-reason.ts'
import type { Clock, Endpoint, Fleet, Job, Storage } from '../ports.ts'
import type { Leases } from '../queue/leases.ts'
import type { QueueCounts } from '../queue/queue-counts.ts'
import type { WorkerSupervisor } from '../workers/supervise.ts'
import type { LiveWorker, WorkerRegistry } from '../workers/worker-registry.ts'
import { isOfServer } from '../workflows/is-of-server.ts'

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
 * back before its next try counts as unhealthy, as on the platform, and so does one of an endpoint that is crashing.
 */
export function readHealth(deps: ViewDeps, endpoint: Endpoint): HealthRecord {
  const { storage, clock, counts, registry, supervisor } = deps
  const { completed, failed, retried } = storage.endpoints.totals(endpoint.id)
  const { normal, lowPriority, inProgress } = counts.of(endpoint.id)
  const { decision, crashLoop } = supervisor.status(endpoint.id)
  const workers = healthCounts(registry.ofEndpoint(endpoint.id), decision?.throttled ?? 0)
  const keptBack = crashLoop !== undefined && crashLoop.backOffUntil > clock.steady() ? 1 : 0
  const unhealthy = workers.unhealthy + keptBack
  const isCrashing = stateOf(deps, endpoint) === 'crashing'
  return {
    jobs: { completed, failed, inProgress, inQueue: normal + lowPriority, retried },
    workers: { ...workers, unhealthy: isCrashing ? Math.max(1, unhealthy) : unhealthy },
  }
}

/** Who waits: a job, or a request to a load-balanced endpoint since this time, steady ms. */
export type Waiter = { readonly job: Job } | { readonly requestSince: number }

/** Why jobs of an endpoint wait, or this one job or request; undefined when none waits. */
export function waitingReason(deps: ViewDeps, endpoint: Endpoint, waiter?: Waiter): WaitingReason | undefined {
  const { storage, clock, counts, registry, supervisor } = deps
  const queue = counts.of(endpoint.id)
  const job = waiter !== undefined && 'job' in waiter ? waiter.job : undefined
  if (job === undefined ? queue.normal + queue.lowPriority === 0 : job.status !== 'IN_QUEUE') return undefined
  const { crashLoop, decision } = supervisor.status(endpoint.id)
  return whyJobsWait({
    config: endpoint.config,
    paused: endpoint.paused,
    queue,
    workers: registry.ofEndpoint(endpoint.id),
    crashLoop,
    noCapacityReason: throttledReason(deps, endpoint),
    neverCapacity: decision?.neverPlaced,
    job: job && { lowPriority: job.lowPriority === 1, ahead: storage.jobs.waitingBefore(job, AHEAD_MAX) },
    waitingSince: waiter && ('job' in waiter ? waiter.job.queuedAt : waiter.requestSince),
    now: clock.steady(),
  })
}

/** A waiting reason as fields of a view. */
export function viewWaiting(reason: WaitingReason | undefined): {
  readonly waitingReason?: string
  readonly waitingNeedsChange?: true
} {
  if (reason === undefined) return {}
  return { waitingReason: reason.text, ...(reason.needsChange ? { waitingNeedsChange: true } : {}) }
}

/** How an endpoint is, by the table of states. */
function stateOf(deps: ViewDeps, endpoint: Endpoint): EndpointState {
  const { normal, lowPriority, inProgress } = deps.counts.of(endpoint.id)
  return endpointStateOf({
    paused: endpoint.paused,
    workersMax: endpoint.config.workersMax,
    graph: endpoint.config.graph,
    inQueue: normal + lowPriority,
    inProgress,
    crash: deps.supervisor.status(endpoint.id).crashLoop,
    throttledReason: throttledReason(deps, endpoint),
    workers: deps.registry.ofEndpoint(endpoint.id),
  })
}

/** The crashes of the workers of an endpoint, with wall times; the next try only where work waits for it. */
function viewCrash(
  { clock, supervisor }: Pick<ViewDeps, 'clock' | 'supervisor'>,
  id: string,
): EndpointCrash | undefined {
  const { crashLoop, decision } = supervisor.status(id)
  if (crashLoop === undefined) return undefined
  const wall = (steady: number) => steady - clock.steady() + clock.now()
  const { count, lastWords, since, lastAt, needsChange, backOffUntil } = crashLoop
  const isPlanned = (decision?.wanted ?? 0) > 0
  return {
    ...{ count, lastWords, since: wall(since), lastAt: wall(lastAt), needsChange },
    ...(isPlanned ? { nextTryAt: wall(backOffUntil) } : {}),
  }
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
  const crash = viewCrash(deps, endpoint.id)
  const throttled = throttledReason(deps, endpoint)
  return {
    ...endpoint.config,
    id: endpoint.id,
    paused: endpoint.paused,
    createdAt: endpoint.createdAt,
    updatedAt: endpoint.updatedAt,
    ...addressesOf(endpoint, baseUrl),
    state: stateOf(deps, endpoint),
    ...(crash === undefined ? {} : { crash }),
    ...viewWaiting(waitingReason(deps, endpoint)),
    ...(throttled === undefined ? {} : { throttledReason: throttled }),
    ...viewNodeTypes(deps, endpoint),
  }
}

// Those of a server that is no longer its own are none.
function viewNodeTypes({ storage }: Pick<ViewDeps, 'storage'>, { id, config }: Endpoint) {
  if (config.workflows === undefined) return {}
  const origin = storage.nodeTypes.origin(id)
  return isOfServer(origin, config.workflows.server) ? { nodeTypesReadAt: origin.readAt } : {}
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
export function viewJobRow({ clock }: Pick<ViewDeps, 'clock'>, job: Job): JobListItem {
  return {
    id: job.id,
    endpointId: job.endpointId,
    status: job.status,
    createdAt: job.createdAt,
    ...(job.finishedAt === null
      ? {}
      : { finishedAt: job.finishedAt, expiresAt: job.deadlineAt - clock.steady() + clock.now() }),
    ...(job.delayMs === null ? {} : { delayTime: job.delayMs }),
    ...(job.executionMs === null ? {} : { executionTime: job.executionMs }),
    ...(job.workerId === null ? {} : { workerId: job.workerId }),
    ...(job.retries === 0 ? {} : { retries: job.retries }),
    ...(job.error === null ? {} : { error: job.error }),
  }
}
