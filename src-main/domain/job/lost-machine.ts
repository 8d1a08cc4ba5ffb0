/** A job whose machine was lost while it ran: what its history says of that, and what a person is told. */
import type { JobHistoryEntry } from '../../contract/management.ts'

const REASON = /^machine (.+) is unreachable$/

/** The reason of a job that is taken back from a worker on a machine that cannot be reached, for its history. */
export const lostMachineReason = (machine: string) => `machine ${machine} is unreachable`

/**
 * Warns of a job that started again because its machine was lost: the worker there may have run it to its end.
 * @returns undefined: it did not start again
 */
export function startedAgain(history: readonly JobHistoryEntry[]): string | undefined {
  const lost = history.findIndex(({ reason }) => REASON.test(reason ?? ''))
  const starts = history.filter(({ event }) => event === 'claim').length
  if (lost < 0 || !history.slice(lost).some(({ event }) => event === 'claim')) return undefined
  const machines = [...new Set(history.flatMap(({ reason }) => REASON.exec(reason ?? '')?.[1] ?? []))]
  const times = starts === 2 ? 'twice' : `${starts} times`
  return `Started ${times}: ${machines.join(' and ')} ${machines.length === 1 ? 'was' : 'were'} lost. Its handler may have run more than once.`
}
