/** Overdue jobs fail, silent workers are lost, and workers that ignore a stop order are ended. */

import { limit } from '../../contract/limits.ts'
import type { Clock, Log } from '../../lib/clock.ts'
import type { Fleet } from '../../runtimes/port.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Lease, Leases } from '../jobs/queue/leases.ts'
import { failOverdueJobs, requeueJobs, rescueLostJobs } from '../jobs/queue/lost-and-overdue-jobs.ts'
import { lostMachineReason } from '../jobs/rules/lost-machine.ts'
import type { WorkerEnding } from './end-workers.ts'
import type { LiveWorker, WorkerRegistry } from './registry/worker-registry.ts'

export type LeaseWatch = ReturnType<typeof createLeaseWatch>

const TICK_MS = 200

export function createLeaseWatch(deps: {
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Log
  readonly fleet: Pick<Fleet, 'isAway' | 'awayNode' | 'checkAway'>
  readonly leases: Leases
  readonly registry: WorkerRegistry
  readonly ending: Pick<WorkerEnding, 'begin'>
}) {
  const { storage, clock, log, fleet, leases, registry, ending } = deps
  const checking = new Set<string>()
  let cancel: (() => void) | undefined
  let isStopped = false

  function tick(): void {
    const due = clock.steady() + TICK_MS
    cancel = clock.after(TICK_MS, () => {
      const lateMs = clock.steady() - due
      // The service itself was held up and could not hear its workers: a suspended or overloaded machine.
      if (lateMs > TICK_MS) leases.extend(lateMs)
      lookAtLeases()
      lookAtStopOrders()
      tick()
    })
  }

  function lookAtLeases(): void {
    const { overdue, silent } = expiredLeases(leases, clock.steady())
    failOverdueJobs(deps, overdue).catch((error) => log.error('overdue jobs not failed', { error }))
    for (const workerId of silent) {
      if (checking.has(workerId)) continue
      checking.add(workerId)
      loseIfSilent(workerId)
        .catch((error) => log.error('silent worker not checked', { workerId, error }))
        .finally(() => checking.delete(workerId))
    }
  }

  // A lease may expire before the loss of its machine is noticed.
  async function loseIfSilent(workerId: string): Promise<void> {
    await fleet.checkAway(workerId)
    if (!isStopped && expiredLeases(leases, clock.steady()).silent.has(workerId)) loseWorker(workerId)
  }

  function loseWorker(workerId: string): void {
    const held = leases.ofWorker(workerId)
    const worker = registry.get(workerId)
    const isAway = fleet.isAway(workerId)
    const lostMachine = isAway ? worker?.machine : undefined
    if (lostMachine !== undefined && waitsForMachine(held)) return
    const reason =
      lostMachine === undefined
        ? silenceReason(workerId, held)
        : lostMachineReason(lostMachine, fleet.awayNode?.(workerId))
    // Checked again after a full lease if the write fails.
    for (const lease of held) lease.until = clock.steady() + limit('leaseMs')
    // Workers with an unreachable engine are not to blame, so their jobs use up no retry.
    const takeBack = isAway ? requeueJobs : rescueLostJobs
    takeBack(deps, held, reason).catch((error) => log.error('lost jobs not taken back', { workerId, error }))
    if (worker === undefined) return
    if (!isAway) registry.move(worker, 'lose', { reason })
    ending.begin(worker, reason)
  }

  // The worker may still run the jobs, and some must not run twice.
  function waitsForMachine(held: readonly Lease[]): boolean {
    const now = clock.steady()
    for (const lease of held) {
      lease.silentSince ??= lease.until
      const waitMs = storage.endpoints.get(lease.endpointId)?.config.waitForMachineMs ?? 0
      if (now >= lease.silentSince + waitMs) return false
      lease.until = Math.min(now + limit('leaseMs'), lease.silentSince + waitMs)
    }
    return true
  }

  function lookAtStopOrders(): void {
    const now = clock.steady()
    for (const worker of registry.all()) {
      const reason = overdueStopOrder(worker, now)
      if (reason === undefined) continue
      registry.note(worker, { stopOrders: new Map() })
      ending.begin(worker, reason, 0)
    }
  }

  return {
    start(): boolean {
      if (cancel !== undefined) return false
      tick()
      return true
    },
    stop() {
      isStopped = true
      cancel?.()
    },
  }
}

function expiredLeases(
  leases: Pick<Leases, 'all'>,
  now: number,
): { readonly overdue: readonly Lease[]; readonly silent: ReadonlySet<string> } {
  const overdue: Lease[] = []
  const silent = new Set<string>()
  for (const lease of leases.all()) {
    if (now >= lease.executeUntil) overdue.push(lease)
    else if (now >= lease.until) silent.add(lease.workerId)
  }
  return { overdue, silent }
}

function silenceReason(workerId: string, held: readonly Lease[]): string {
  return held.some((lease) => lease.confirmed)
    ? `worker ${workerId} has not reported for ${limit('leaseMs') / 1000} s`
    : `worker ${workerId} never reported that it runs the job`
}

function overdueStopOrder(worker: LiveWorker, now: number): string | undefined {
  const overdue = [...worker.stopOrders].find(([, order]) => now >= order.until)
  return overdue === undefined
    ? undefined
    : `job ${overdue[0]} was told to stop, as it was cancelled or timed out, and did not within its grace time`
}
