import type { Database } from 'better-sqlite3'
import type { NetworkVolume, Template } from '../../contract/platform.ts'
import { queriesOf } from '../../database/queries.ts'

export type StoredTemplate = {
  readonly id: string
  readonly name: string
  readonly settings: Omit<Template, 'id' | 'name'>
  readonly createdAt: number
}

export type StoredVolume = Omit<NetworkVolume, 'size'> & {
  readonly sizeGb: number
  readonly folder: string
  readonly createdAt: number
}

export type StoredTaskCall = {
  readonly id: string
  readonly endpointId: string
  readonly tokenHash: Uint8Array
  readonly deadlineAt: number | undefined
  readonly createdAt: number
}

const TEMPLATE = `id, name, settings, created_at AS createdAt`
const VOLUME = `id, name, folder, size_gb AS sizeGb, data_center AS dataCenter, type, created_at AS createdAt`

type CallRow = Omit<StoredTaskCall, 'deadlineAt'> & { readonly deadlineAt: number | null }
type TemplateRow = Omit<StoredTemplate, 'settings'> & { readonly settings: string }

export function createPlatformStore(db: Database) {
  const query = queriesOf(db)
  const saveTemplate = query<[TemplateRow]>(`
    INSERT INTO platform_templates (id, name, settings, created_at) VALUES (@id, @name, @settings, @createdAt)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, settings = excluded.settings`).run()
  const addCall = query<[object]>(`
    INSERT INTO task_calls (id, endpoint_id, token_hash, deadline_at, created_at)
    VALUES (@id, @endpointId, @tokenHash, @deadlineAt, @createdAt)`).run()
  return {
    templates: {
      all: query<[], TemplateRow>(`SELECT ${TEMPLATE} FROM platform_templates ORDER BY created_at, id`).all(toTemplate),
      get: query<[id: string], TemplateRow>(`SELECT ${TEMPLATE} FROM platform_templates WHERE id = ?`).one(toTemplate),
      /** Replaces the one with its id; names are unique, as are those of volumes. */
      save: ({ settings, ...row }: StoredTemplate) => saveTemplate({ ...row, settings: JSON.stringify(settings) }),
      remove: query<[id: string]>(`DELETE FROM platform_templates WHERE id = ?`).run(),
    },
    volumes: {
      all: query<[], StoredVolume>(`SELECT ${VOLUME} FROM network_volumes ORDER BY created_at, id`).all(),
      get: query<[id: string], StoredVolume>(`SELECT ${VOLUME} FROM network_volumes WHERE id = ?`).one(),
      save: query<[StoredVolume]>(`
        INSERT INTO network_volumes (id, name, folder, size_gb, data_center, type, created_at)
        VALUES (@id, @name, @folder, @sizeGb, @dataCenter, @type, @createdAt)
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, size_gb = excluded.size_gb`).run(),
      remove: query<[id: string]>(`DELETE FROM network_volumes WHERE id = ?`).run(),
    },
    taskCalls: {
      get: query<[id: string], CallRow>(`
        SELECT id, endpoint_id AS endpointId, token_hash AS tokenHash, deadline_at AS deadlineAt,
          created_at AS createdAt
        FROM task_calls WHERE id = ?`).one(
        (row): StoredTaskCall => ({
          ...row,
          deadlineAt: row.deadlineAt ?? undefined,
        }),
      ),
      add: (call: StoredTaskCall) => addCall({ ...call, tokenHash: Buffer.from(call.tokenHash) }),
      setDeadline: query<[{ id: string; at: number }]>(`UPDATE task_calls SET deadline_at = @at WHERE id = @id`).run(),
      remove: query<[id: string]>(`DELETE FROM task_calls WHERE id = ?`).run(),
      trim: query<[before: number]>(`DELETE FROM task_calls WHERE created_at < ?`).run(),
    },
  }
}

function toTemplate({ settings, ...row }: TemplateRow): StoredTemplate {
  return { ...row, settings: JSON.parse(settings) }
}
