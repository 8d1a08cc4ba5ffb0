import type { Database } from 'better-sqlite3'
import { type MachineConnection, machineConnection } from '../../contract/machines.ts'
import { queriesOf } from '../../database/queries.ts'

/** `id`, a-z and 0-9, names the resources this service creates there. */
export type Machine = {
  readonly name: string
  readonly id: string
  readonly way: MachineConnection
  readonly swarm: boolean
  readonly addedAt: number
}

type Row = Omit<Machine, 'way' | 'swarm'> & { readonly way: string; readonly swarm: 0 | 1 }

export function createMachineStore(db: Database) {
  const query = queriesOf(db)
  const add = query<[Row]>(`
    INSERT INTO machines (name, id, way, swarm, added_at) VALUES (@name, @id, @way, @swarm, @addedAt)
    ON CONFLICT (name) DO NOTHING`).changed()
  return {
    all: query<[], Row>(`SELECT name, id, way, swarm, added_at AS addedAt FROM machines ORDER BY name`).all(
      ({ way, swarm, ...row }) => ({ ...row, way: machineConnection.parse(JSON.parse(way)), swarm: swarm === 1 }),
    ),
    add: ({ way, swarm, ...machine }: Machine) => add({ ...machine, way: JSON.stringify(way), swarm: swarm ? 1 : 0 }),
    remove: query<[name: string]>(`DELETE FROM machines WHERE name = ?`).changed(),
  }
}
