import type { Database } from 'better-sqlite3'
import { queriesOf } from './queries.ts'

export type StateStore = ReturnType<typeof createStateStore>

/** Makes the store of the service's own small values, as JSON. */
export function createStateStore(db: Database) {
  const query = queriesOf(db)
  const write = query<[name: string, value: string]>(`
    INSERT INTO service_state (name, value) VALUES (?, ?)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`).run()
  return {
    get: query<[name: string], { readonly value: string }>(`SELECT value FROM service_state WHERE name = ?`).one(
      ({ value }): unknown => JSON.parse(value),
    ),
    set: (name: string, value: unknown) => write(name, JSON.stringify(value)),
  }
}
