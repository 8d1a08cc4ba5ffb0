import type { Database } from 'better-sqlite3'
import { machineWay } from '../contract/machines.ts'
import type { Machine, MachineStore } from '../services/ports/machines.ts'

const ALL = `SELECT name, id, way, swarm, added_at AS addedAt FROM machines ORDER BY name`
const ADD = `
  INSERT INTO machines (name, id, way, swarm, added_at) VALUES (@name, @id, @way, @swarm, @addedAt)
  ON CONFLICT (name) DO NOTHING`
const REMOVE = `DELETE FROM machines WHERE name = ?`

type Row = Omit<Machine, 'way' | 'swarm'> & { readonly way: string; readonly swarm: 0 | 1 }

/** Makes the store of machines. */
export function createMachineStore(db: Database): MachineStore {
  const all = db.prepare<[], Row>(ALL)
  const add = db.prepare<[Row]>(ADD)
  const remove = db.prepare<[string]>(REMOVE)
  return {
    all: () =>
      all
        .all()
        .map(({ way, swarm, ...row }) => ({ ...row, way: machineWay.parse(JSON.parse(way)), swarm: swarm === 1 })),
    add: ({ way, swarm, ...machine }) =>
      add.run({ ...machine, way: JSON.stringify(way), swarm: swarm ? 1 : 0 }).changes > 0,
    remove: (name) => remove.run(name).changes > 0,
  }
}
