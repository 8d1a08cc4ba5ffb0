import {
  type CodeChange,
  type EndpointCrash,
  type EndpointState,
  type EndpointView,
  WORKER_POOLS,
  type WorkerPool,
  type WorkerView,
} from '../../contract/endpoint.ts'
import type { HealthRecord, JobListItem } from '../../contract/job.ts'
import { limit } from '../../contract/limits.ts'
import type { LiveSnapshot } from '../../contract/live.ts'
import type { QueueStatus, WebhookDelivery } from '../../contract/management.ts'
import type { PackageInstall } from '../../contract/packages.ts'
import type { Clock } from '../../lib/clock.ts'
import { present } from '../../lib/json/plain.ts'
import { LOOPBACK } from '../../lib/own-addresses.ts'
import { capitalized, durationText } from '../../lib/text.ts'
import type { Fleet } from '../../runtimes/port.ts'
import type { Endpoint, Job, NodeTypesOrigin, Storage } from '../../storage/storage.ts'
import type { Leases } from '../jobs/queue/leases.ts'
import { type QueueCounts, waitingJobs } from '../jobs/queue/queue-counts.ts'
import { expectStart, type RecentSpans } from '../jobs/rules/expected-start.ts'
import { lostMachineReason } from '../jobs/rules/lost-machine.ts'
import { readScalingFacts } from '../workers/read-scaling-facts.ts'
import type { ExclusiveGroups } from '../workers/registry/exclusive-groups.ts'
import type { FleetStatuses } from '../workers/registry/fleet-status.ts'
import type { LiveWorker, WorkerRegistry } from '../workers/registry/worker-registry.ts'
import type { WorkflowServers } from '../workers/registry/workflow-servers.ts'
import { whyServersWait } from '../workers/rules/choose-job.ts'
import { queueOfPool, type Sharing, settingsOfPool, sharingOf, withServers } from '../workers/rules/pools.ts'
import { type WaitingReason, whyJobsWait } from '../workers/rules/waiting-reason.ts'
import { isSameServer } from '../workflows/rules/server-address.ts'
import type { Refusals } from './refusals.ts'
import { endpointKind } from './rules/endpoint-kind.ts'
import { brokenReason, endpointStateOf, healthCounts } from './rules/endpoint-state.ts'

export type ViewDeps = {
  readonly storage: Storage
  readonly clock: Clock
  readonly fleet: Pick<Fleet, 'capacity' | 'isAway' | 'awayNode'>
  readonly counts: QueueCounts
  readonly leases: Leases
  readonly registry: WorkerRegistry
  readonly status: Pick<FleetStatuses, 'of' | 'throttled'>
  readonly servers: Pick<WorkflowServers, 'of'>
  readonly groups: Pick<ExclusiveGroups, 'whyWaits'>
  readonly recentSpans: (endpointId: string) => RecentSpans
  readonly codeChanges: ReadonlyMap<string, CodeChange>
  readonly installs: ReadonlyMap<string, PackageInstall>
  readonly refusals: Refusals
}

type WaitingDeps = Pick<ViewDeps, 'clock' | 'fleet' | 'counts' | 'registry' | 'servers' | 'groups'> & {
  readonly status: Pick<FleetStatuses, 'of'>
  readonly storage: Pick<Storage, 'jobs' | 'runs'>
}

/** Health of an endpoint: all from memory, so it costs the same with a million jobs. */
export function readHealth(deps: ViewDeps, endpoint: Endpoint): HealthRecord {
  const { storage, counts, registry, status } = deps
  const { completed, failed, retried } = storage.endpoints.totals(endpoint.id)
  const count = counts.of(endpoint.id)
  const now = status.of(endpoint.id)
  const countsOf = (pool: WorkerPool) => ({
    ...healthCounts(
      registry.ofEndpoint(endpoint.id).filter((worker) => worker.pool === pool),
      now[pool].decision?.throttled ?? 0,
    ),
    unhealthy: unhealthyWorkers(deps, endpoint, pool),
  })
  const batchWorkers = countsOf('batch')
  return {
    jobs: { completed, failed, inProgress: count.inProgress, inQueue: waitingJobs(count), retried },
    workers: countsOf('main'),
    ...(Object.values(batchWorkers).some((some) => some > 0) ? { batchWorkers } : {}),
  }
}

/**
 * Counts unhealthy workers of a pool. One held back after a crash counts, as on the platform; a crashing endpoint has at
 * least one.
 */
function unhealthyWorkers(deps: ViewDeps, endpoint: Endpoint, pool: WorkerPool): number {
  const { clock, registry, status } = deps
  const { crashLoop } = status.of(endpoint.id)[pool]
  const heldBack = crashLoop !== undefined && crashLoop.backOffUntil > clock.steady() ? 1 : 0
  const isUnhealthy = (worker: LiveWorker) => worker.pool === pool && worker.state === 'unhealthy'
  const unhealthy = registry.ofEndpoint(endpoint.id).filter(isUnhealthy).length + heldBack
  const isCrashing =
    viewCrash(deps, endpoint.id)?.pool === pool &&
    stateOf(deps, endpoint, throttledReason(deps, endpoint)) === 'crashing'
  return isCrashing ? Math.max(1, unhealthy) : unhealthy
}

export function countWorkers(deps: ViewDeps, endpoint: Endpoint): Readonly<Record<string, number>> {
  const workers: Record<string, number> = {}
  for (const { state } of deps.registry.ofEndpoint(endpoint.id)) workers[state] = (workers[state] ?? 0) + 1
  const unhealthy = WORKER_POOLS.reduce((sum, pool) => sum + unhealthyWorkers(deps, endpoint, pool), 0)
  return unhealthy === 0 ? workers : { ...workers, unhealthy }
}

/** A job, or a request waiting since a steady ms. */
export type Waiter = { readonly job: Job } | { readonly requestSince: number }

export function waitingReason(deps: WaitingDeps, endpoint: Endpoint, waiter?: Waiter): WaitingReason | undefined {
  const { clock, counts, fleet, registry, status, storage } = deps
  const queue = counts.of(endpoint.id)
  const job = waiter !== undefined && 'job' in waiter ? waiter.job : undefined
  if (job === undefined ? waitingJobs(queue) === 0 : job.status !== 'IN_QUEUE') return undefined
  const now = status.of(endpoint.id)
  const sharing = sharingOf(endpoint.config, now.batch.decision)
  const waitsFor = job?.pool ?? (queue.normal + queue.lowPriority === 0 ? 'batch' : 'main')
  const pool = sharing === 'always' ? 'main' : waitsFor
  const servers = deps.servers.of(endpoint)
  const graph = servers.length === 0 ? undefined : (job ?? storage.jobs.inOrder(endpoint.id, pool, 1)[0])
  const needs = graph && storage.runs.needs([graph.id]).get(graph.id)
  const ofServers = whyServersWait(needs, servers, graph?.seq)
  const isOpen = !endpoint.paused && endpoint.config.workersMax > 0
  if (ofServers?.isWhole === true && isOpen) return ofServers
  const ofGroup = isOpen ? deps.groups.whyWaits(endpoint) : undefined
  if (ofGroup !== undefined) return ofGroup
  const reason = whyJobsWait({
    pool,
    standsIn: sharing === 'meanwhile',
    config: settingsOfPool(withServers(endpoint.config, servers), pool),
    paused: endpoint.paused,
    queue: { ...queueOfPool(queue, pool, sharing), forOneWorker: queue.forOneWorker ?? 0 },
    workers: registry.ofEndpoint(endpoint.id).filter((worker) => worker.pool === pool && !fleet.isAway(worker.id)),
    crashLoop: now[pool].crashLoop,
    noCapacityReason: throttledReason(deps, endpoint, [pool]),
    neverCapacity: now[pool].decision?.neverStarts,
    job: job && { lowPriority: job.lowPriority === 1 },
    waitingSince: waiter && ('job' in waiter ? waiter.job.queuedAt : waiter.requestSince),
    now: clock.steady(),
  })
  return reason && ofServers ? { ...reason, text: `${reason.text} ${ofServers.text}` } : reason
}

export function machineAway(
  { fleet, leases, registry, storage }: Pick<ViewDeps, 'fleet' | 'leases' | 'registry' | 'storage'>,
  job: Job,
): WaitingReason | undefined {
  const lease = leases.get(job.id)
  const machine = lease && registry.get(lease.workerId)?.machine
  if (lease === undefined || machine === undefined || !fleet.isAway(lease.workerId)) return undefined
  const waitMs = storage.endpoints.get(job.endpointId)?.config.waitForMachineMs ?? 0
  const wait = waitMs === 0 ? '' : `; the job waits up to ${durationText(waitMs)} for it`
  const reason = lostMachineReason(machine, fleet.awayNode?.(lease.workerId))
  return { text: `${capitalized(reason)}${wait}.`, needsChange: false }
}

function positionOf({ storage, counts }: Pick<WaitingDeps, 'storage' | 'counts'>, job: Job, sharing: Sharing) {
  const most = limit('queuePosition')
  const { normal, lowPriority } = counts.of(job.endpointId)
  const ofOthers = job.pool === 'batch' && sharing !== 'never' ? normal + lowPriority : 0
  const before = ofOthers + storage.jobs.waitingBefore(job, most + 1)
  return { before: Math.min(before, most), more: before > most }
}

export function viewQueueStatus(deps: ViewDeps, endpoint: Endpoint, job: Job): QueueStatus {
  if (job.status !== 'IN_QUEUE') return {}
  const { storage, clock, leases, status, recentSpans } = deps
  const now = status.of(endpoint.id)
  const sharing = sharingOf(endpoint.config, now.batch.decision)
  const position = positionOf(deps, job, sharing)
  const reason = waitingReason(deps, endpoint, { job })
  const balancer = { oldestWaitMs: () => 0 }
  const pool = sharing === 'never' ? job.pool : 'main'
  const scaling = readScalingFacts({ ...deps, balancer }, endpoint.id, { endpoint, pool, status: now })
  const startedOf = (seq: number) => storage.jobs.read(seq)?.startedAt ?? clock.steady()
  const runningSince = scaling.workers.map(
    ({ id }) => [id, leases.ofWorker(id).map(({ seq }) => startedOf(seq))] as const,
  )
  const { expected, how } = expectStart({
    ...{
      scaling: { ...scaling, workers: scaling.workers.filter(({ isAway }) => isAway !== true) },
      ...position,
      ...recentSpans(endpoint.id),
      lowPriority: job.lowPriority === 1 || (job.pool === 'batch' && sharing === 'meanwhile'),
    },
    blocked: reason?.needsChange === true || reason?.isWhole === true ? reason.text : undefined,
    runningSince: new Map(runningSince),
  })
  const wall = (steady: number) => Math.round(steady - clock.steady() + clock.now())
  const start = expected && { at: wall(expected.at), from: wall(expected.from), to: wall(expected.to) }
  return { ...viewWaiting(reason), queue: { ...position, ...(start && { start }), how } }
}

export function viewWaiting(reason: WaitingReason | undefined): {
  readonly waitingReason?: string
  readonly waitingNeedsChange?: true
} {
  if (reason === undefined) return {}
  return { waitingReason: reason.text, ...(reason.needsChange ? { waitingNeedsChange: true } : {}) }
}

function stateOf(deps: ViewDeps, endpoint: Endpoint, throttled: string | undefined): EndpointState {
  const count = deps.counts.of(endpoint.id)
  return endpointStateOf({
    paused: endpoint.paused,
    workersMin: endpoint.config.workersMin,
    workersMax: endpoint.config.workersMax,
    graph: endpoint.config.graph,
    brokenReason: whyBroken(deps, endpoint),
    inQueue: waitingJobs(count),
    inProgress: count.inProgress,
    crash: viewCrash(deps, endpoint.id),
    throttledReason: throttled,
    workers: deps.registry.ofEndpoint(endpoint.id),
  })
}

const whyBroken = ({ storage }: Pick<ViewDeps, 'storage'>, { config }: Endpoint) =>
  brokenReason(config, (id) => storage.endpoints.get(id) !== undefined)

/** Crashes of the pool that is needed, main workers first. */
function viewCrash({ clock, status }: Pick<ViewDeps, 'clock' | 'status'>, id: string): EndpointCrash | undefined {
  const now = status.of(id)
  const isNeeded = (pool: WorkerPool) => (now[pool].decision?.wanted ?? 0) > 0
  const crashing = WORKER_POOLS.filter((pool) => now[pool].crashLoop !== undefined)
  const pool = crashing.find(isNeeded) ?? crashing[0] ?? 'main'
  const { crashLoop } = now[pool]
  if (crashLoop === undefined) return undefined
  const wall = (steady: number) => steady - clock.steady() + clock.now()
  const { count, lastWords, since, lastAt, needsChange, backOffUntil } = crashLoop
  const isPlanned = isNeeded(pool)
  return {
    ...{ pool, count, lastWords, since: wall(since), lastAt: wall(lastAt), needsChange },
    ...(isPlanned ? { nextTryAt: wall(backOffUntil) } : {}),
  }
}

function throttledReason(
  { fleet, status }: Pick<WaitingDeps, 'fleet' | 'status'>,
  { id, config }: Endpoint,
  pools: readonly WorkerPool[] = WORKER_POOLS,
): string | undefined {
  const now = status.of(id)
  const throttled = pools.map((pool) => now[pool].decision).find((one) => one !== undefined && one.throttled > 0)
  return throttled && (throttled.throttledReason ?? fleet.capacity(config).reason)
}

/** Why a needed worker finds no room, or no machine can run the next one. */
function noWorkerReason(deps: ViewDeps, endpoint: Endpoint): string | undefined {
  const throttled = throttledReason(deps, endpoint)
  return throttled === undefined && sleeps(deps, endpoint) ? deps.refusals.latest(endpoint.config) : throttled
}

const sleeps = ({ registry }: Pick<ViewDeps, 'registry'>, { id, config, paused }: Endpoint) =>
  !paused && config.workersMax > 0 && registry.ofEndpoint(id).length === 0

/** Asks machines whether they could run workers of these endpoints, so that their views say so. */
export async function askMachines(deps: ViewDeps, endpoints: readonly Endpoint[]): Promise<void> {
  const sleeping = endpoints.filter((endpoint) => sleeps(deps, endpoint))
  await Promise.all(sleeping.map(({ config }) => deps.refusals.ask(config)))
}

/**
 * Load-balanced endpoints and those that take workflows have two; every client can resolve `url`.
 * @param baseUrl service address without a trailing slash
 */
export function addressesOf(
  { id, config }: Endpoint,
  baseUrl: string,
): { readonly url: string; readonly hostUrl?: string } {
  const kind = endpointKind(config)
  const url = kind === 'load-balanced' ? `${baseUrl}/lb/${id}` : `${baseUrl}/v2/${id}`
  if (kind !== 'load-balanced' && kind !== 'workflows') return { url }
  if (config.comfyuiPort !== undefined) return { url, hostUrl: `http://${LOOPBACK}:${config.comfyuiPort}` }
  return { url, hostUrl: `http://${id}.localhost:${baseUrl.split(':').at(-1)}` }
}

export function viewEndpoint(deps: ViewDeps, endpoint: Endpoint, baseUrl: string): EndpointView {
  const crash = viewCrash(deps, endpoint.id)
  const throttled = noWorkerReason(deps, endpoint)
  const broken = whyBroken(deps, endpoint)
  const codeChange = deps.codeChanges.get(endpoint.id)
  const install = deps.installs.get(endpoint.id)
  return {
    ...endpoint.config,
    id: endpoint.id,
    paused: endpoint.paused,
    createdAt: endpoint.createdAt,
    updatedAt: endpoint.updatedAt,
    ...addressesOf(endpoint, baseUrl),
    state: stateOf(deps, endpoint, throttled),
    ...present({ crash, codeChange, install }),
    ...viewWaiting(waitingReason(deps, endpoint)),
    ...present({ throttledReason: throttled, brokenReason: broken }),
    ...viewNodeTypes(deps, endpoint),
  }
}

function viewNodeTypes({ storage }: Pick<ViewDeps, 'storage'>, { id, config }: Endpoint) {
  if (config.workflows === undefined) return {}
  const origin = storage.nodeTypes.origin(id)
  return isOfServer(origin, config.workflows.server) ? { nodeTypesReadAt: origin.readAt } : {}
}

export function viewWorker({ leases }: Pick<ViewDeps, 'leases'>, worker: LiveWorker): WorkerView {
  return {
    id: worker.id,
    endpointId: worker.endpointId,
    state: worker.state,
    pool: worker.pool,
    ...present({ reason: worker.reason, replacement: worker.replacement }),
    ...(worker.started?.pid === undefined ? {} : { pid: worker.started.pid }),
    ...(worker.started?.container === undefined ? {} : { container: worker.started.container }),
    ...(worker.machine === undefined ? {} : { machine: worker.machine }),
    ...(worker.started?.gpus === undefined ? {} : { gpus: [...worker.started.gpus] }),
    startedAt: worker.startedWallAt,
    ...(worker.lastSeenWallAt === undefined ? {} : { lastSeenAt: worker.lastSeenWallAt }),
    jobs: leases.ofWorker(worker.id).map((lease) => lease.jobId),
    jobsDone: worker.jobsDone,
  }
}

export function viewDelivery({ clock }: Pick<ViewDeps, 'clock'>, delivery: WebhookDelivery): WebhookDelivery {
  const { nextAt } = delivery
  return nextAt === undefined ? delivery : { ...delivery, nextAt: nextAt - clock.steady() + clock.now() }
}

// A ttl that passes while a job runs makes the job API forget it early.
function expiresAtOf(clock: Clock, { archived, deadlineAt, finishedAt }: Job): number {
  const now = clock.now()
  const expiresAt = deadlineAt - clock.steady() + now
  return archived === 1 && expiresAt > now ? (finishedAt ?? now) : expiresAt
}

export function viewJobRow({ clock }: Pick<ViewDeps, 'clock'>, job: Job): JobListItem {
  return {
    id: job.id,
    endpointId: job.endpointId,
    status: job.status,
    createdAt: job.createdAt,
    ...(job.finishedAt === null ? {} : { finishedAt: job.finishedAt, expiresAt: expiresAtOf(clock, job) }),
    ...present({ delayTime: job.delayMs, executionTime: job.executionMs, workerId: job.workerId }),
    ...(job.retries === 0 ? {} : { retries: job.retries }),
    ...(job.attempt === 0 ? {} : { attempt: job.attempt }),
    ...present({ error: job.error, batchId: job.batchId }),
  }
}

export function isOfServer(origin: NodeTypesOrigin | undefined, server: string | undefined): origin is NodeTypesOrigin {
  if (origin === undefined) return false
  if (origin.source === 'file' || server === undefined) return true
  return origin.server !== undefined && isSameServer(origin.server, server)
}

/**
 * All endpoints and workers with the last event number, so that later events can be applied.
 * @param options.url service address without a trailing slash
 * @param options.command how the CLI was invoked
 */
export function readLive(
  deps: ViewDeps,
  { url, command }: { readonly url: string; readonly command: string },
): LiveSnapshot {
  const { storage, clock, counts, registry } = deps
  return {
    eventId: storage.events.lastId(),
    at: clock.now(),
    endpoints: storage.endpoints.all().map((endpoint) => {
      const count = counts.of(endpoint.id)
      return { ...viewEndpoint(deps, endpoint, url), inQueue: waitingJobs(count), inProgress: count.inProgress }
    }),
    workers: registry.all().map((worker) => viewWorker(deps, worker)),
    command,
  }
}
