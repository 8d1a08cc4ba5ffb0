/**
 * Notes of machines on which this service has something: made before the first worker there, and removed when nothing is
 * left. A note that outlives the run says that something was left there.
 */
import type { Storage } from '../ports/storage.ts'
import type { Clock } from '../ports/system.ts'

/** Something on a machine of this name, under the id of a machine of this service or of a preview. */
type Remains = { readonly id: string; readonly machine: string; readonly notedAt: number }

/** The notes, kept from run to run. */
type RemainsStore = {
  readonly of: (machine: string) => readonly Remains[]
  readonly get: (id: string) => Remains | undefined
  readonly note: (remains: Pick<Remains, 'id' | 'machine'>) => Promise<void>
  readonly forget: (id: string) => Promise<void>
}

const KEY = 'machines.remains'

/** Keeps the notes in the database. */
export function createRemains({
  storage,
  clock,
}: {
  readonly storage: Pick<Storage, 'state' | 'write'>
  readonly clock: Pick<Clock, 'now'>
}): RemainsStore {
  const all = () => (storage.state.get(KEY) ?? []) as readonly Remains[]
  const get = (id: string) => all().find((one) => one.id === id)
  const others = (id: string) => all().filter((one) => one.id !== id)
  return {
    of: (machine) => all().filter((one) => one.machine === machine),
    get,
    async note({ id, machine }) {
      if (get(id) !== undefined) return
      await storage.write(() => storage.state.set(KEY, [...others(id), { id, machine, notedAt: clock.now() }]))
    },
    async forget(id) {
      if (get(id) !== undefined) await storage.write(() => storage.state.set(KEY, others(id)))
    },
  }
}
