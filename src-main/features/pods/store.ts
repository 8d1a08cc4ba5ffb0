import type { Database } from 'better-sqlite3'
import { queriesOf } from '../../database/queries.ts'
import type { PodRow, PodSettings } from './rules.ts'

const COLUMNS = `id, name, settings, wanted, reason, created_at AS createdAt`

type Row = Omit<PodRow, 'settings' | 'reason'> & { readonly settings: string; readonly reason: string | null }

export type PodEvent = { readonly seq: number; readonly at: number; readonly line: string }

// Source: ours.
const MOST_EVENTS = 200

export function createPodStore(db: Database) {
  const query = queriesOf(db)
  const insert = query<[Omit<Row, 'reason'>]>(`
    INSERT INTO pods (id, name, settings, wanted, created_at) VALUES (@id, @name, @settings, @wanted, @createdAt)`).run()
  const setSettings = query<[{ id: string; name: string; settings: string }]>(`
    UPDATE pods SET name = @name, settings = @settings WHERE id = @id`).changed()
  const setWanted = query<[{ id: string; wanted: PodRow['wanted']; reason: string | null }]>(`
    UPDATE pods SET wanted = @wanted, reason = @reason WHERE id = @id`).changed()
  const insertEvent = query<[{ pod: string; at: number; line: string }]>(`
    INSERT INTO pod_events (pod, at, line) SELECT id, @at, @line FROM pods WHERE id = @pod`).run()
  const trimEvents = query<[{ pod: string; most: number }]>(`
    DELETE FROM pod_events WHERE pod = @pod AND seq <= (
      SELECT seq FROM pod_events WHERE pod = @pod ORDER BY seq DESC LIMIT 1 OFFSET @most)`).run()
  return {
    eventsAfter: query<[pod: string, seq: number], PodEvent>(`
      SELECT seq, at, line FROM pod_events WHERE pod = ? AND seq > ? ORDER BY seq`).all(),
    addEvent(pod: string, at: number, line: string) {
      insertEvent({ pod, at, line })
      trimEvents({ pod, most: MOST_EVENTS })
    },
    all: query<[], Row>(`SELECT ${COLUMNS} FROM pods ORDER BY created_at, id`).all(toPod),
    get: query<[id: string], Row>(`SELECT ${COLUMNS} FROM pods WHERE id = ?`).one(toPod),
    insert: ({ settings, id, name, wanted, createdAt }: PodRow) =>
      insert({ id, name, wanted, createdAt, settings: JSON.stringify(settings) }),
    setSettings: (id: string, name: string, settings: PodSettings) =>
      setSettings({ id, name, settings: JSON.stringify(settings) }),
    setWanted: (id: string, wanted: PodRow['wanted'], reason?: string) =>
      setWanted({ id, wanted, reason: reason ?? null }),
    remove: query<[id: string]>(`DELETE FROM pods WHERE id = ?`).changed(),
  }
}

const toPod = ({ settings, reason, ...row }: Row): PodRow => ({
  ...row,
  settings: JSON.parse(settings),
  reason: reason ?? undefined,
})
