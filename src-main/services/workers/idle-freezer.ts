import { decideFreezing, freezesIdle } from '../../domain/worker/freeze-idle.ts'
import type { Clock, Endpoint, Fleet } from '../ports.ts'
import type { Leases } from '../queue/leases.ts'
import type { QueueCounts } from '../queue/queue-counts.ts'
import { type LiveWorker, loadOf, type WorkerRegistry } from './worker-registry.ts'

/** Freezes idle processes that stay, and lets them go on. */
export type IdleFreezer = {
  /** Freezes and thaws workers of an endpoint as it is now. @returns when to look again, steady ms; undefined: never */
  readonly settle: (endpoint: Endpoint) => number | undefined
  /** Lets a worker that has got a job go on; one that is not frozen is left as it is. */
  readonly thaw: (worker: LiveWorker) => void
}

/** Makes it. @param onFailure called with a worker that could not be frozen, or does not go on */
export function createIdleFreezer(
  deps: {
    readonly clock: Clock
    readonly counts: QueueCounts
    readonly fleet: Pick<Fleet, 'pause' | 'resume'>
    readonly leases: Leases
    readonly registry: WorkerRegistry
  },
  onFailure: (worker: LiveWorker, reason: string, error: unknown) => void,
): IdleFreezer {
  const { clock, counts, fleet, leases, registry } = deps

  function freeze(worker: LiveWorker): void {
    worker.frozen = true
    worker.reason = 'frozen until its next job'
    fleet.pause(worker.id).catch((error) => onFailure(worker, 'could not be frozen', error))
  }

  function thaw(worker: LiveWorker): void {
    if (!worker.frozen) return
    worker.frozen = false
    worker.thawedAt = clock.steady()
    if (worker.state === 'idle') worker.reason = undefined
    fleet.resume(worker.id).catch((error) => onFailure(worker, 'could not be woken', error))
  }

  return {
    settle({ id, config, paused }) {
      const { normal, lowPriority } = counts.of(id)
      const idle = registry
        .ofEndpoint(id)
        .filter((worker) => worker.state === 'idle' && !worker.staged && loadOf(worker, leases) === 0)
      const decision = decideFreezing({
        enabled: freezesIdle(config),
        waiting: paused ? 0 : normal + lowPriority,
        concurrency: config.concurrency,
        workers: idle.map((worker) => ({ ...worker, idleSince: worker.idleSince ?? worker.startedAt })),
        now: clock.steady(),
      })
      for (const worker of idle) {
        if (decision.thaw.includes(worker.id)) thaw(worker)
        if (decision.freeze.includes(worker.id)) freeze(worker)
      }
      return decision.nextCheckAt
    },
    thaw,
  }
}
