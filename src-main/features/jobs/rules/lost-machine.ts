import type { JobHistoryEntry } from '../../../contract/management.ts'

const REASON = /^(?:machine|node) (.+) is unreachable$/

/** @param node the lost node of a swarm whose manager answers */
export const lostMachineReason = (machine: string, node: string | undefined) =>
  node === undefined ? `machine ${machine} is unreachable` : `node ${node} of ${machine} is unreachable`

/**
 * Warns that the lost machine's worker may have finished the job.
 * @returns undefined if it did not restart
 */
export function startedAgain(history: readonly JobHistoryEntry[]): string | undefined {
  const lost = history.findIndex(({ reason }) => REASON.test(reason ?? ''))
  const starts = history.filter(({ event }) => event === 'claim').length
  if (lost < 0 || !history.slice(lost).some(({ event }) => event === 'claim')) return undefined
  const machines = [...new Set(history.flatMap(({ reason }) => REASON.exec(reason ?? '')?.[1] ?? []))]
  const times = starts === 2 ? 'twice' : `${starts} times`
  return `Started ${times}: ${machines.join(' and ')} ${machines.length === 1 ? 'was' : 'were'} lost. Its handler may have run more than once.`
}
