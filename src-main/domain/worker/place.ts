/** On which machine a worker runs, decided from what each machine has room for. Source: docs/spec/machines.md, 2. */
import type { ContainerSettings } from '../../contract/container.ts'
import { ANY_MACHINE, THIS_MACHINE } from '../../contract/machines.ts'
import { sizeText } from '../text.ts'

/** Room for workers: how many more, and why not more; `never`: none as things are, also if nothing else ran. */
export type Room = {
  readonly free: number
  readonly reason: string | undefined
  readonly never?: boolean | undefined
  /** Whether there is none because no engine answers now, so that a start that failed is no fault of its worker. */
  readonly isAway?: boolean | undefined
}

/** A machine that could be chosen. */
export type PlaceFacts = {
  readonly name: string
  /** What its driver says, or why it cannot be used now. */
  readonly room: Room
  /** Undefined: not known. */
  readonly memoryBytes?: number | undefined
  /** How many workers it has. */
  readonly workers: number
}

/** What a worker wants of a machine. */
export type PlaceWish = Pick<ContainerSettings, 'machine' | 'memoryBytes'>

/** The machine that settings name. */
export function wantedMachine(container: PlaceWish | undefined): string {
  return container?.machine ?? THIS_MACHINE
}

/** The machine that the settings of one worker name; undefined: this one. */
export function otherMachine(container: PlaceWish | undefined): string | undefined {
  const machine = wantedMachine(container)
  return machine === THIS_MACHINE ? undefined : machine
}

/** Whether a worker may run there by its settings. */
export function mayRunOn(container: PlaceWish | undefined, machine: string): boolean {
  const wanted = wantedMachine(container)
  return wanted === ANY_MACHINE || wanted === machine
}

/**
 * The machine for one more worker: of those that have room the one with the fewest workers, this machine first, as its
 * way is the shortest. Undefined: none has room.
 */
export function choosePlace(wish: PlaceWish, machines: readonly PlaceFacts[]): string | undefined {
  const fits = machines.filter((machine) => mayRunOn(wish, machine.name) && roomOn(wish, machine).free > 0)
  const isFar = ({ name }: PlaceFacts) => (name === THIS_MACHINE ? 0 : 1)
  return fits.toSorted((a, b) => a.workers - b.workers || isFar(a) - isFar(b) || (a.name < b.name ? -1 : 1))[0]?.name
}

/** The room for workers with these settings; what a machine lacks is said with its name. */
export function findRoom(wish: PlaceWish, machines: readonly PlaceFacts[]): Room {
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
  const [first] = said
  // Where there is one machine alone, everybody knows which.
  if (rooms.length === 1 && first?.name === THIS_MACHINE) return first.reason
  return said.length < rooms.length ? undefined : said.map(({ name, reason }) => `${name}: ${reason}`).join('; ')
}

function roomOn({ memoryBytes: wanted }: PlaceWish, { name, room, memoryBytes: has }: PlaceFacts): Room {
  // Containers of this machine get as much as there is: what was made for a large machine is tried on a small one.
  if (name === THIS_MACHINE || wanted === undefined || has === undefined || wanted <= has) return room
  const reason = `a worker wants ${sizeText(wanted)} of memory, and it has ${sizeText(has)}`
  return { free: 0, reason, never: true }
}

/** Where workers run, for a person. @param machine undefined: the default */
export function machineText(machine: string | undefined): string {
  if (machine === undefined || machine === THIS_MACHINE) return 'This machine'
  return machine === ANY_MACHINE ? 'Any machine with room' : machine
}
