import type { MachineConnection } from '../../contract/machines.ts'
import type { Clock, NewId } from '../../lib/clock.ts'
import type { Storage } from '../../storage/storage.ts'
import { connectionText } from './rules/connection-text.ts'

type Remains = { readonly id: string; readonly host: string; readonly notedAt: number }

const KEY = 'machines.remains'

/**
 * Leaves what is on machines to the original of this copied data: all that is made there from now on has other names.
 * Called inside a Writer's work only.
 */
export function leaveMachines(
  { state, machines }: Pick<Storage, 'state' | 'machines'>,
  newId: Pick<NewId, 'worker'>,
): void {
  state.set(KEY, [])
  for (const machine of machines.all()) {
    machines.remove(machine.name)
    machines.add({ ...machine, id: newId.worker() })
  }
}

export function createRemains({
  storage,
  clock,
}: {
  readonly storage: Pick<Storage, 'state' | 'write'>
  readonly clock: Pick<Clock, 'now'>
}) {
  const all = () => (storage.state.get(KEY) ?? []) as readonly Remains[]
  const get = (id: string) => all().find((one) => one.id === id)
  const others = (id: string) => all().filter((one) => one.id !== id)
  return {
    at: (way: MachineConnection): readonly Remains[] => all().filter(({ host }) => host === connectionText(way)),
    get,
    async note(id: string, way: MachineConnection) {
      if (get(id) !== undefined) return
      const noted: Remains = { id, host: connectionText(way), notedAt: clock.now() }
      await storage.write(() => storage.state.set(KEY, [...others(id), noted]))
    },
    async forget(id: string) {
      if (get(id) !== undefined) await storage.write(() => storage.state.set(KEY, others(id)))
    },
  }
}
