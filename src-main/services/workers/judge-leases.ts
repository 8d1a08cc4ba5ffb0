import { limit } from '../../contract/limits.ts'
import type { Lease, Leases } from '../queue/leases.ts'
import type { LiveWorker } from './worker-registry.ts'

/** Leases that have run out: of jobs past their execution limit, and of workers that went silent. */
export type ExpiredLeases = { readonly overdue: readonly Lease[]; readonly silent: ReadonlySet<string> }

/** Looks which leases have run out. @param now steady ms */
export function expiredLeases(leases: Pick<Leases, 'all'>, now: number): ExpiredLeases {
  const overdue: Lease[] = []
  const silent = new Set<string>()
  for (const lease of leases.all()) {
    if (now >= lease.executeUntil) overdue.push(lease)
    else if (now >= lease.until) silent.add(lease.workerId)
  }
  return { overdue, silent }
}

/** Why a worker with these leases counts as lost, for people. */
export function silenceReason(workerId: string, held: readonly Lease[]): string {
  return held.some((lease) => lease.confirmed)
    ? `worker ${workerId} gave no sign of life for ${limit('leaseMs') / 1000} s`
    : `worker ${workerId} never said that it runs the job`
}

/** Why a worker must be killed: a job that it was told to stop still runs. Undefined when there is none. */
export function overdueStopOrder(worker: LiveWorker, now: number): string | undefined {
  const overdue = [...worker.stopOrders].find(([, order]) => now >= order.until)
  return overdue === undefined ? undefined : `job ${overdue[0]} did not stop within its grace time`
}
