import { WORKER_POOLS, type WorkerPool } from '../../contract/endpoint.ts'
import type { Clock, Log } from '../../lib/clock.ts'
import type { Fleet } from '../../runtimes/port.ts'
import type { Endpoint, Storage } from '../../storage/storage.ts'
import type { Leases } from '../jobs/queue/leases.ts'
import type { QueueCounts } from '../jobs/queue/queue-counts.ts'
import type { WorkerEnding } from './end-workers.ts'
import { workersInService } from './read-scaling-facts.ts'
import type { FleetStatuses } from './registry/fleet-status.ts'
import { type LiveWorker, loadOf, type WorkerRegistry } from './registry/worker-registry.ts'
import { decideFreezing, freezesIdle } from './rules/freeze-idle.ts'
import { queueOfPool, sharingOf } from './rules/pools.ts'
import type { WorkerCalls } from './worker-calls.ts'

export type IdlePausing = ReturnType<typeof createIdlePausing>

export function createIdlePausing(deps: {
  readonly storage: Pick<Storage, 'poke'>
  readonly clock: Clock
  readonly log: Log
  readonly counts: QueueCounts
  readonly fleet: Pick<Fleet, 'pause' | 'resume'>
  readonly leases: Leases
  readonly registry: WorkerRegistry
  readonly calls: Pick<WorkerCalls, 'goOn'>
  readonly status: Pick<FleetStatuses, 'of'>
  readonly ending: Pick<WorkerEnding, 'begin'>
}) {
  const { storage, clock, log, counts, fleet, leases, registry, calls, status, ending } = deps
  const endAfter = (worker: LiveWorker, reason: string) => (error: unknown) => {
    log.warn(`worker ${reason}`, { workerId: worker.id, error })
    ending.begin(worker, reason, 0)
  }

  function freeze(worker: LiveWorker): void {
    if (!registry.move(worker, 'freeze', { reason: 'frozen until its next job' })) return
    fleet.pause(worker.id).catch(endAfter(worker, 'could not be frozen'))
  }

  function thaw(worker: LiveWorker): void {
    if (!registry.move(worker, 'thaw')) return
    fleet.resume(worker.id).catch(endAfter(worker, 'could not be woken'))
  }

  function settlePool({ id, config, paused }: Pick<Endpoint, 'id' | 'config' | 'paused'>, pool: WorkerPool) {
    const { normal, lowPriority } = queueOfPool(counts.of(id), pool, sharingOf(config, status.of(id).batch.decision))
    const idle = workersInService(registry, id, pool).filter(
      (worker) => worker.state === 'idle' && loadOf(worker, leases) === 0,
    )
    const decision = decideFreezing({
      enabled: freezesIdle(config),
      waiting: paused ? 0 : normal + lowPriority,
      concurrency: config.concurrency,
      workers: idle.map((worker) => ({
        id: worker.id,
        idleSince: worker.idleSince ?? worker.startedAt,
        thawedAt: worker.thawedAt,
        frozen: worker.phase === 'frozen',
      })),
      now: clock.steady(),
    })
    for (const worker of idle) {
      if (decision.thaw.includes(worker.id)) thaw(worker)
      if (decision.freeze.includes(worker.id)) freeze(worker)
    }
    return decision.nextCheckAt
  }

  return {
    /** @returns time of the next check, steady ms; undefined for never */
    settle({ id, config, paused }: Endpoint): number | undefined {
      const checks = WORKER_POOLS.flatMap((pool) => settlePool({ id, config, paused }, pool) ?? [])
      return checks.length === 0 ? undefined : Math.min(...checks)
    },
    thaw,
    pause(workerId: string) {
      const worker = registry.get(workerId)
      // A job may have come since the decision's facts were read.
      if (worker === undefined || loadOf(worker, leases) > 0) return
      if (!registry.move(worker, 'pause', { reason: 'idle' })) return
      fleet.pause(workerId).catch(endAfter(worker, 'could not be paused'))
    },
    resume(workerId: string): boolean {
      const worker = registry.get(workerId)
      if (worker === undefined || !registry.move(worker, 'resume')) return false
      fleet.resume(workerId).catch(endAfter(worker, 'could not be woken'))
      calls.goOn(workerId)
      storage.poke()
      return true
    },
  }
}
