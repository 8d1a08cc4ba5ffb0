import type { MachineFacts, MachineView } from '../../../src-main/contract/machines.ts'
import { counted } from '../../../src-main/lib/text.ts'
import { bytes, percentText } from '../../ui/format.ts'
import type { StateDotProps } from '../../ui/StateDot.tsx'

const STATES: Readonly<Record<MachineView['state'], StateDotProps>> = {
  connected: { tone: 'completed', text: 'Connected' },
  connecting: { tone: 'running', text: 'Connecting', pulses: true },
  unreachable: { tone: 'failed', text: 'Not reachable' },
}

export const machineState = ({ state }: Pick<MachineView, 'state'>): StateDotProps => STATES[state]

export function whyNotReached({ state, reason }: Pick<MachineView, 'state' | 'reason'>): string | undefined {
  if (state === 'connected') return undefined
  const what = state === 'connecting' ? 'Connecting' : 'It cannot be reached'
  // OpenSSH's words, so that they can be searched for.
  return reason === undefined ? `${what}.` : `${what}: ${reason}${/[.!?…]$/.test(reason) ? '' : '.'}`
}

export function cardsText({ cards, cardFault }: Pick<MachineFacts, 'cards' | 'cardFault'>): string {
  if (cards.length === 0) return cardFault === undefined ? 'none' : `none: ${cardFault}`
  const byName = Map.groupBy(cards, ({ name }) => name)
  return [...byName].map(([name, some]) => (some.length === 1 ? name : `${some.length} × ${name}`)).join(', ')
}

export function diskText({
  diskFreeBytes: free,
  diskTotalBytes: total,
  dockerDiskBytes: docker,
}: MachineFacts): string | undefined {
  if (free === undefined) return docker === undefined ? undefined : `${bytes(docker)} used by Docker`
  return total === undefined ? `${bytes(free)} free` : `${bytes(free)} free of ${bytes(total)}`
}

export function loadText({ load, cpus, cpusUsed }: MachineFacts): string | undefined {
  if (load === undefined)
    return cpusUsed === undefined ? undefined : `containers use ${cpusUsed.toFixed(2)} of ${counted(cpus, 'CPU')}`
  return cpus > 0
    ? `${load.toFixed(2)} (${percentText((100 * load) / cpus)} of ${counted(cpus, 'CPU')})`
    : load.toFixed(2)
}

export function whatRemovalEnds(
  { name, workers, endpoints }: Pick<MachineView, 'name' | 'workers' | 'endpoints'>,
  nameOf: (endpointId: string) => string,
): string {
  const ends =
    workers.length === 0
      ? 'No worker runs there now.'
      : `${counted(workers.length, 'worker')} there ${workers.length === 1 ? 'ends at once; its' : 'end at once; their'} jobs are queued again, without counting a retry.`
  const waits =
    endpoints.length === 0
      ? ''
      : ` Jobs of ${endpoints.map(nameOf).join(', ')} wait until you choose another machine, or add ${name} again.`
  return `${ends}${waits} Everything that Drydock created there is removed, except images. Adding it again does not undo this.`
}
