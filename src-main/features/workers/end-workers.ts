import { limit } from '../../contract/limits.ts'
import type { Clock, Log } from '../../lib/clock.ts'
import type { Endpoint, Storage } from '../../storage/storage.ts'
import type { Leases } from '../jobs/queue/leases.ts'
import type { RequestBalancer } from '../load-balancing/balance-requests.ts'
import { type LiveWorker, loadOf, type WorkerRegistry } from './registry/worker-registry.ts'
import { faultReason, isUsedUp } from './rules/faults.ts'
import type { ScalingDecision } from './rules/scaling-facts.ts'
import { takesJobs } from './rules/transitions.ts'
import { batchWorkersToEnd } from './share-slots.ts'
import type { WorkerLifecycle } from './worker-lifecycle.ts'

export type WorkerEnding = ReturnType<typeof createWorkerEnding>

export function createWorkerEnding(deps: {
  readonly storage: Pick<Storage, 'endpoints'>
  readonly clock: Clock
  readonly log: Log
  readonly leases: Leases
  readonly registry: WorkerRegistry
  readonly balancer: Pick<RequestBalancer, 'drain' | 'whenIdle'>
  readonly lifecycle: Pick<WorkerLifecycle, 'stop'>
}) {
  const { storage, clock, log, leases, registry, balancer, lifecycle } = deps
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
    /**
     * SIGTERM now, SIGKILL for the tree after the grace time. Load-balanced workers first finish requests, which many
     * servers drop on SIGTERM.
     */
    stop,
    begin,
    /** Takes no more jobs, and ends after its last one; with force now. */
    leave,
    endIfDone,
    endUsedUp({ id, config }: Endpoint) {
      for (const worker of registry.ofEndpoint(id))
        if (takesJobs(worker) && isUsedUp(config.faults, worker) && loadOf(worker, leases) === 0)
          leave(worker.id, faultReason('coldStart'), false)
    },
    makeRoom(endpoint: Endpoint, { throttled, neverStarts }: Pick<ScalingDecision, 'throttled' | 'neverStarts'>) {
      const [longest] = registry
        .all()
        .filter((worker) => worker.state === 'paused' && worker.endpointId !== endpoint.id)
        .toSorted((a, b) => (a.pausedSince ?? 0) - (b.pausedSince ?? 0))
      if (longest !== undefined) leave(longest.id, 'another endpoint needs its slot', false)
      if (neverStarts === true) return
      const wanted = throttled - (longest === undefined ? 0 : 1)
      for (const { id } of batchWorkersToEnd({ storage, registry }, endpoint, wanted))
        leave(id, 'a worker for other jobs needs its slot', false)
    },
    graceOf,
  }
}
