/** How workers leave: after what they do, or at once; because scaling wants it, or somebody else needs their slot. */
import { limit } from '../../contract/limits.ts'
import { faultReason, isUsedUp } from '../../domain/worker/faults.ts'
import { takesJobs } from '../../domain/worker/transitions.ts'
import type { RequestBalancer } from '../load-balanced/balance-requests.ts'
import type { Endpoint, Storage } from '../ports/storage.ts'
import type { Clock, Log } from '../ports/system.ts'
import type { Leases } from '../queue/leases.ts'
import { type LiveWorker, loadOf, type WorkerRegistry } from '../worker-registry.ts'
import type { WorkerLifecycle } from './worker-lifecycle.ts'

/** The ends of workers. */
export type WorkerEnding = {
  /**
   * Stops a worker: SIGTERM now, the end of it with all its children when the grace time is over. A load-balanced one
   * first ends its open requests within that time: many servers cut them off on SIGTERM.
   */
  readonly stop: (worker: LiveWorker, reason: string, graceMs: number) => Promise<void>
  /** The same, without waiting for it; a failure is logged. @param graceMs without it that of its endpoint */
  readonly begin: (worker: LiveWorker, reason: string, graceMs?: number) => void
  /** Lets a worker go: it takes nothing more and is ended when its last job is. With force it is ended now. */
  readonly leave: (workerId: string, reason: string, force: boolean) => void
  /** Ends a worker that was let go and has nothing more to do; any other one stays as it is. */
  readonly endIfDone: (worker: LiveWorker) => void
  /** Lets those go that have had the one job which the fault switch coldStart gives them. */
  readonly endUsedUp: (endpoint: Endpoint) => void
  /** Lets a paused worker of another endpoint go: it holds a slot, and is worth less than one that is wanted now. */
  readonly makeRoom: (endpointId: string) => void
  /** How long a worker may take to end, ms. */
  readonly graceOf: (worker: LiveWorker) => number
}

/** Joins the ways in which workers leave. */
export function createWorkerEnding({
  storage,
  clock,
  log,
  leases,
  registry,
  balancer,
  lifecycle,
}: {
  readonly storage: Pick<Storage, 'endpoints'>
  readonly clock: Clock
  readonly log: Log
  readonly leases: Leases
  readonly registry: WorkerRegistry
  readonly balancer: Pick<RequestBalancer, 'drain' | 'whenIdle'>
  readonly lifecycle: Pick<WorkerLifecycle, 'stop'>
}): WorkerEnding {
  function graceOf({ endpointId }: LiveWorker): number {
    return storage.endpoints.get(endpointId)?.config.stopGraceMs ?? limit('stopGraceMs')
  }

  async function stop(worker: LiveWorker, reason: string, graceMs: number): Promise<void> {
    const until = clock.steady() + graceMs
    if (worker.openRequests > 0 && graceMs > 0) {
      registry.move(worker, 'drain', { reason })
      await balancer.whenIdle(worker, graceMs)
    }
    await lifecycle.stop(worker, reason, Math.max(0, until - clock.steady()))
  }

  function begin(worker: LiveWorker, reason: string, graceMs = graceOf(worker)): void {
    stop(worker, reason, graceMs).catch((error) => log.error('worker not stopped', { workerId: worker.id, error }))
  }

  function leave(workerId: string, reason: string, force: boolean): void {
    const worker = registry.get(workerId)
    if (worker === undefined) return
    if (force) {
      begin(worker, reason, 0)
      return
    }
    if (registry.move(worker, 'drain', { reason })) balancer.drain(worker, graceOf(worker))
    endIfDone(worker)
  }

  function endIfDone(worker: LiveWorker): void {
    if (worker.phase === 'draining' && loadOf(worker, leases) === 0) begin(worker, worker.reason ?? 'it is done')
  }

  return {
    stop,
    begin,
    leave,
    endIfDone,
    endUsedUp({ id, config }) {
      for (const worker of registry.ofEndpoint(id))
        if (takesJobs(worker) && isUsedUp(config.faults, worker) && loadOf(worker, leases) === 0)
          leave(worker.id, faultReason('coldStart'), false)
    },
    makeRoom(endpointId) {
      const [longest] = registry
        .all()
        .filter((worker) => worker.state === 'paused' && worker.endpointId !== endpointId)
        .toSorted((a, b) => (a.pausedSince ?? 0) - (b.pausedSince ?? 0))
      if (longest !== undefined) leave(longest.id, 'another endpoint needs its slot', false)
    },
    graceOf,
  }
}
