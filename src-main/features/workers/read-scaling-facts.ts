import type { Clock } from '../../lib/clock.ts'
import type { Fleet } from '../../runtimes/port.ts'
import type { Endpoint, Storage } from '../../storage/storage.ts'
import type { Leases } from '../jobs/queue/leases.ts'
import type { QueueCounts } from '../jobs/queue/queue-counts.ts'
import { neededLast } from '../load-balancing/rules/choose-worker.ts'
import { findCapacity } from './inject-faults.ts'
import { type LiveWorker, loadOf, type WorkerRegistry } from './registry/worker-registry.ts'
import type { CrashLoop } from './rules/crash-loop.ts'
import { settingsWithFaults } from './rules/faults.ts'
import { keepPausedMs } from './rules/freeze-idle.ts'
import { GONE, type ScalingFacts, type ScalingWorker } from './rules/scaling-facts.ts'

type Deps = {
  readonly storage: Pick<Storage, 'jobs'>
  readonly clock: Clock
  readonly fleet: Pick<Fleet, 'capacity' | 'isAway'>
  readonly counts: QueueCounts
  readonly leases: Leases
  readonly registry: Pick<WorkerRegistry, 'ofEndpoint'>
  readonly balancer: { readonly oldestWaitMs: (endpointId: string) => number }
}

export function workersInService(registry: Pick<WorkerRegistry, 'ofEndpoint'>, endpointId: string): LiveWorker[] {
  return registry.ofEndpoint(endpointId).filter(({ duty }) => duty !== 'staged')
}

export function readScalingFacts(
  deps: Deps,
  endpointId: string,
  { endpoint, crashLoop }: { readonly endpoint: Endpoint | undefined; readonly crashLoop: CrashLoop | undefined },
): ScalingFacts {
  const { clock, counts, fleet, leases, registry } = deps
  const { normal: waiting, lowPriority, inProgress, forOneWorker = 0 } = counts.of(endpointId)
  const normal = waiting - forOneWorker
  const config = endpoint && settingsWithFaults(endpoint.config)
  const { free, reason, never } = findCapacity(fleet, config)
  return {
    config: config ?? GONE,
    keepPausedMs: config === undefined ? 0 : keepPausedMs(config),
    paused: endpoint?.paused ?? true,
    stopping: endpoint === undefined,
    queue: { normal, lowPriority, inProgress, oldestNormalWaitMs: normal === 0 ? 0 : oldestWaitMs(deps, endpointId) },
    workers: workersInService(registry, endpointId).map((worker) => ({
      ...workerFacts(worker, loadOf(worker, leases), endpoint?.revision),
      isAway: fleet.isAway(worker.id),
    })),
    freeSlots: free,
    noCapacityReason: reason,
    neverCapacity: never,
    backOffUntil: crashLoop?.backOffUntil,
    now: clock.steady(),
  }
}

function workerFacts(worker: LiveWorker, jobs: number, revision: number | undefined): ScalingWorker {
  return {
    id: worker.id,
    state: worker.state,
    startedAt: worker.startedAt,
    progressAt: worker.backAt === undefined ? worker.progressAt : Math.max(worker.backAt, worker.progressAt ?? 0),
    idleSince: neededLast(worker),
    pausedSince: worker.pausedSince,
    resumedAt: worker.resumedAt,
    jobs,
    outdated: worker.duty === 'retired' || (worker.standsInFor ?? worker.revision) !== revision,
    outdatedBecause: worker.retiredBecause,
    mayRecover: worker.phase === 'recovering',
  }
}

function oldestWaitMs({ storage, clock, balancer }: Deps, endpointId: string): number {
  const job = storage.jobs.oldestWaiting(endpointId, 0)
  return job === undefined ? balancer.oldestWaitMs(endpointId) : clock.steady() - job.queuedAt
}
