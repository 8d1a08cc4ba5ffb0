import type { Database } from 'better-sqlite3'
import type { MetricsStore, StateStore } from '../services/ports.ts'

const READ_STATE = `SELECT value FROM service_state WHERE name = ?`
const WRITE_STATE = `
  INSERT INTO service_state (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
const SAVE_POINT = `
  INSERT INTO metrics (endpoint_id, at, point) VALUES (?, ?, ?) ON CONFLICT (endpoint_id, at) DO UPDATE SET point = excluded.point`
const READ_POINTS = `SELECT at, point FROM metrics WHERE endpoint_id = ? AND at >= ? AND at < ? ORDER BY at`
// Workers that are ready write steps too, in which nothing happened.
const LAST_ACTIVE = `
  SELECT at FROM metrics
  WHERE endpoint_id = ? AND point ->> 'submitted' + point ->> 'completed' + point ->> 'failed' > 0
  ORDER BY at DESC LIMIT 1`
const TRIM_POINTS = `DELETE FROM metrics WHERE at < ?`

/** Makes the store of the service's own small values. */
export function createStateStore(db: Database): StateStore {
  const read = db.prepare<[string], { value: string }>(READ_STATE)
  const write = db.prepare(WRITE_STATE)
  return {
    get(name) {
      const row = read.get(name)
      return row === undefined ? undefined : JSON.parse(row.value)
    },
    set: (name, value) => void write.run(name, JSON.stringify(value)),
  }
}

/** Makes the store of metrics. */
export function createMetricsStore(db: Database): MetricsStore {
  const save = db.prepare(SAVE_POINT)
  const read = db.prepare<[string, number, number], { at: number; point: string }>(READ_POINTS)
  const lastActive = db.prepare<[string], { at: number }>(LAST_ACTIVE)
  const trim = db.prepare(TRIM_POINTS)
  return {
    save: (endpointId, at, point) => void save.run(endpointId, at, point),
    read: (endpointId, from, to) => read.all(endpointId, from, to),
    lastActiveAt: (endpointId) => lastActive.get(endpointId)?.at,
    trim: (before) => void trim.run(before),
  }
}
