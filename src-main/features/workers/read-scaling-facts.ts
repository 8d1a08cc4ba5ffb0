import { WORKER_POOLS, type WorkerPool } from '../../contract/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Fleet } from '../../runtimes/port.ts'
import type { Room } from '../../runtimes/rules/choose-machine.ts'
import type { Endpoint, Storage } from '../../storage/storage.ts'
import type { Leases } from '../jobs/queue/leases.ts'
import type { QueueCounts } from '../jobs/queue/queue-counts.ts'
import { neededLast } from '../load-balancing/rules/choose-worker.ts'
import { findCapacity } from './inject-faults.ts'
import type { FleetStatus, FleetStatuses } from './registry/fleet-status.ts'
import { type LiveWorker, loadOf, type WorkerRegistry } from './registry/worker-registry.ts'
import type { NamedServer, WorkflowServers } from './registry/workflow-servers.ts'
import { hasWorker } from './rules/choose-job.ts'
import { settingsWithFaults } from './rules/faults.ts'
import { keepPausedMs } from './rules/freeze-idle.ts'
import { queueOfPool, settingsOfPool, sharingOf, withServers } from './rules/pools.ts'
import { GONE, type ScalingFacts, type ScalingWorker } from './rules/scaling-facts.ts'
import { slotsForOthers } from './share-slots.ts'

type Deps = {
  readonly storage: Pick<Storage, 'jobs' | 'endpoints'>
  readonly clock: Clock
  readonly fleet: Pick<Fleet, 'capacity' | 'isAway'>
  readonly counts: QueueCounts
  readonly leases: Leases
  readonly registry: Pick<WorkerRegistry, 'ofEndpoint' | 'all'>
  readonly status: Pick<FleetStatuses, 'of' | 'throttled'>
  readonly servers: Pick<WorkflowServers, 'of'>
  readonly balancer: { readonly oldestWaitMs: (endpointId: string) => number }
}

function spare(deps: Deps, endpoint: Endpoint, { free, reason, never }: Room): Room {
  const others = slotsForOthers(deps, endpoint)
  if (free > others) return { free: free - others, reason, never }
  return { free: 0, reason: free > 0 ? 'the free slots are reserved for workers of other jobs' : reason, never }
}

export function workersInService(
  registry: Pick<WorkerRegistry, 'ofEndpoint'>,
  endpointId: string,
  of?: WorkerPool,
): LiveWorker[] {
  return registry
    .ofEndpoint(endpointId)
    .filter(({ duty, pool }) => duty !== 'staged' && (of === undefined || pool === of))
}

export function readScalingFacts(
  deps: Deps,
  endpointId: string,
  {
    endpoint,
    pool,
    status,
  }: { readonly endpoint: Endpoint | undefined; readonly pool: WorkerPool; readonly status: FleetStatus },
): ScalingFacts {
  const { clock, counts, fleet, leases, registry, servers } = deps
  const count = counts.of(endpointId)
  const ownServers = endpoint === undefined ? [] : servers.of(endpoint)
  const config = endpoint && settingsOfPool(withServers(settingsWithFaults(endpoint.config), ownServers), pool)
  const sharing = endpoint === undefined ? 'never' : sharingOf(endpoint.config, status.batch.decision)
  const { normal: waiting, lowPriority } = queueOfPool(count, pool, sharing)
  const normal = waiting - (pool === 'main' ? (count.forOneWorker ?? 0) : 0)
  const onBatchWorkers = registry
    .ofEndpoint(endpointId)
    .reduce((sum, worker) => sum + (worker.pool === 'batch' ? leases.ofWorker(worker.id).length : 0), 0)
  const inProgress = pool === 'batch' ? onBatchWorkers : count.inProgress - onBatchWorkers
  const capacity = findCapacity(fleet, config)
  // Looks at all endpoints, for jobs that only few of them have.
  const leavesSlots = pool === 'batch' && endpoint !== undefined && normal + inProgress > 0
  const { free, reason, never } = leavesSlots ? spare(deps, endpoint, capacity) : capacity
  const oldest = () => oldestWaitMs(deps, endpointId, sharing === 'always' ? WORKER_POOLS : [pool])
  return {
    pool,
    config: config ?? GONE,
    // A batch worker without jobs leaves its slot to others.
    keepPausedMs: config === undefined || pool === 'batch' ? 0 : keepPausedMs(config),
    paused: endpoint?.paused ?? true,
    stopping: endpoint === undefined,
    queue: { normal, lowPriority, inProgress, oldestNormalWaitMs: normal === 0 ? 0 : oldest() },
    workers: workersInService(registry, endpointId, pool).map((worker) => ({
      ...workerFacts(worker, loadOf(worker, leases), endpoint?.revision),
      ...leavesServer(worker, ownServers),
      isAway: fleet.isAway(worker.id),
    })),
    freeSlots: free,
    noCapacityReason: reason,
    neverCapacity: never,
    backOffUntil: status[pool].crashLoop?.backOffUntil,
    now: clock.steady(),
  }
}

function workerFacts(worker: LiveWorker, jobs: number, revision: number | undefined): ScalingWorker {
  return {
    id: worker.id,
    state: worker.state,
    startedAt: worker.startedAt,
    progressAt: worker.backAt === undefined ? worker.progressAt : Math.max(worker.backAt, worker.progressAt ?? 0),
    neededLast: neededLast(worker),
    pausedSince: worker.pausedSince,
    resumedAt: worker.resumedAt,
    jobs,
    outdated: worker.duty === 'retired' || (worker.standsInFor ?? worker.revision) !== revision,
    outdatedBecause: worker.retiredBecause,
    mayRecover: worker.phase === 'recovering',
  }
}

/** A worker ends when its ComfyUI server is away, drained or removed, but may finish its graph first. */
function leavesServer(
  { server }: LiveWorker,
  servers: readonly NamedServer[],
): Partial<Pick<ScalingWorker, 'outdated' | 'outdatedBecause'>> {
  if (server === undefined) return {}
  const own = servers.find(({ address }) => address === server)
  if (own !== undefined && hasWorker(own)) return {}
  const why = own === undefined ? 'was removed' : own.isDrained ? 'is drained' : 'does not answer'
  return { outdated: true, outdatedBecause: `its ComfyUI server ${why}` }
}

function oldestWaitMs({ storage, clock, balancer }: Deps, endpointId: string, pools: readonly WorkerPool[]): number {
  const jobs = pools.flatMap((pool) => storage.jobs.oldestWaiting(endpointId, pool, 0) ?? [])
  if (jobs.length === 0) return balancer.oldestWaitMs(endpointId)
  return clock.steady() - Math.min(...jobs.map(({ queuedAt }) => queuedAt))
}
