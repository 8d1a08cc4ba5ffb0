import type { ContainerSettings } from '../../contract/container.ts'
import { ANY_MACHINE, THIS_MACHINE } from '../../contract/machines.ts'
import { sizeText } from '../../lib/text.ts'

export type Room = {
  readonly free: number
  readonly reason: string | undefined
  readonly never?: boolean | undefined
  /** An engine that could take it does not answer now, so a failed start is not the worker's fault. */
  readonly isAway?: boolean | undefined
}

export type MachineCandidate = {
  readonly name: string
  readonly room: Room
  readonly memoryBytes?: number | undefined
  readonly workers: number
}

export type MachineWish = Pick<ContainerSettings, 'machine' | 'memoryBytes'>

export function wantedMachine(container: MachineWish | undefined): string {
  return container?.machine ?? THIS_MACHINE
}

export function otherMachine(container: MachineWish | undefined): string | undefined {
  const machine = wantedMachine(container)
  return machine === THIS_MACHINE ? undefined : machine
}

export function mayRunOn(container: MachineWish | undefined, machine: string): boolean {
  const wanted = wantedMachine(container)
  return wanted === ANY_MACHINE || wanted === machine
}

/** Of the machines with room the one with the fewest workers, on a tie this one. Undefined: no room. */
export function machineWithRoom(wish: MachineWish, machines: readonly MachineCandidate[]): string | undefined {
  const fits = machines.filter((machine) => mayRunOn(wish, machine.name) && roomOn(wish, machine).free > 0)
  const isRemote = ({ name }: MachineCandidate) => (name === THIS_MACHINE ? 0 : 1)
  return fits.toSorted((a, b) => a.workers - b.workers || isRemote(a) - isRemote(b) || (a.name < b.name ? -1 : 1))[0]
    ?.name
}

export function findRoom(wish: MachineWish, machines: readonly MachineCandidate[]): Room {
  const wanted = wantedMachine(wish)
  const rooms = machines
    .filter(({ name }) => mayRunOn(wish, name))
    .map((machine) => ({ name: machine.name, room: roomOn(wish, machine) }))
  if (rooms.length === 0)
    return { free: 0, reason: `there is no machine ${wanted}. Add it, or choose another one`, never: true }
  return {
    free: rooms.reduce((sum, { room }) => sum + room.free, 0),
    reason: reasonOf(rooms),
    never: rooms.every(({ room }) => room.never === true),
    isAway: rooms.every(({ room }) => room.isAway === true),
  }
}

function reasonOf(rooms: readonly { readonly name: string; readonly room: Room }[]): string | undefined {
  const said = rooms.flatMap(({ name, room: { reason } }) => (reason === undefined ? [] : [{ name, reason }]))
  return said.length < rooms.length ? undefined : reasonsText(said)
}

export function reasonsText(reasons: readonly { readonly name: string; readonly reason: string }[]): string {
  const [first] = reasons
  if (reasons.length === 1 && first?.name === THIS_MACHINE) return first.reason
  return reasons.map(({ name, reason }) => `${name}: ${reason}`).join('; ')
}

function roomOn(wish: MachineWish, machine: MachineCandidate): Room {
  const reason = lacksMemory(wish, machine)
  return reason === undefined ? machine.room : { free: 0, reason, never: true }
}

export function lacksMemory(
  { memoryBytes: wanted }: MachineWish,
  { name, memoryBytes: has }: Pick<MachineCandidate, 'name' | 'memoryBytes'>,
): string | undefined {
  // Local containers get as much as there is, so that settings for large machines can be tried.
  if (name === THIS_MACHINE || wanted === undefined || has === undefined || wanted <= has) return undefined
  return `a worker wants ${sizeText(wanted)} of memory, and it has ${sizeText(has)}`
}

export function machineText(machine: string | undefined): string {
  if (machine === undefined || machine === THIS_MACHINE) return 'This machine'
  return machine === ANY_MACHINE ? 'Any machine with room' : machine
}
