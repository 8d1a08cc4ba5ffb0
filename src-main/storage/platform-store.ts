import type { Database } from 'better-sqlite3'
import type { PlatformStore, StoredTaskCall, StoredTemplate, StoredVolume } from '../services/ports/platform.ts'

const TEMPLATE = `id, name, settings, created_at AS createdAt`
const TEMPLATES = `SELECT ${TEMPLATE} FROM platform_templates ORDER BY created_at, id`
const GET_TEMPLATE = `SELECT ${TEMPLATE} FROM platform_templates WHERE id = ?`
const SAVE_TEMPLATE = `
  INSERT INTO platform_templates (id, name, settings, created_at) VALUES (@id, @name, @settings, @createdAt)
  ON CONFLICT (id) DO UPDATE SET name = excluded.name, settings = excluded.settings`
const REMOVE_TEMPLATE = `DELETE FROM platform_templates WHERE id = ?`

const VOLUME = `id, name, folder, size_gb AS sizeGb, data_center AS dataCenter, type, created_at AS createdAt`
const VOLUMES = `SELECT ${VOLUME} FROM network_volumes ORDER BY created_at, id`
const GET_VOLUME = `SELECT ${VOLUME} FROM network_volumes WHERE id = ?`
const SAVE_VOLUME = `
  INSERT INTO network_volumes (id, name, folder, size_gb, data_center, type, created_at)
  VALUES (@id, @name, @folder, @sizeGb, @dataCenter, @type, @createdAt)
  ON CONFLICT (id) DO UPDATE SET name = excluded.name, size_gb = excluded.size_gb`
const REMOVE_VOLUME = `DELETE FROM network_volumes WHERE id = ?`

const GET_CALL = `
  SELECT id, endpoint_id AS endpointId, token_hash AS tokenHash, deadline_at AS deadlineAt, created_at AS createdAt
  FROM task_calls WHERE id = ?`
const ADD_CALL = `
  INSERT INTO task_calls (id, endpoint_id, token_hash, deadline_at, created_at)
  VALUES (@id, @endpointId, @tokenHash, @deadlineAt, @createdAt)`
const SET_DEADLINE = `UPDATE task_calls SET deadline_at = ? WHERE id = ?`
const REMOVE_CALL = `DELETE FROM task_calls WHERE id = ?`
const TRIM_CALLS = `DELETE FROM task_calls WHERE created_at < ?`

type CallRow = Omit<StoredTaskCall, 'deadlineAt'> & { readonly deadlineAt: number | null }
type TemplateRow = Omit<StoredTemplate, 'settings'> & { readonly settings: string }

/** Makes the store of templates, network volumes and calls of tasks. */
export function createPlatformStore(db: Database): PlatformStore {
  const templates = db.prepare<[], TemplateRow>(TEMPLATES)
  const template = db.prepare<[string], TemplateRow>(GET_TEMPLATE)
  const saveTemplate = db.prepare(SAVE_TEMPLATE)
  const removeTemplate = db.prepare(REMOVE_TEMPLATE)
  const volumes = db.prepare<[], StoredVolume>(VOLUMES)
  const volume = db.prepare<[string], StoredVolume>(GET_VOLUME)
  const saveVolume = db.prepare(SAVE_VOLUME)
  const removeVolume = db.prepare(REMOVE_VOLUME)
  const call = db.prepare<[string], CallRow>(GET_CALL)
  const addCall = db.prepare(ADD_CALL)
  const setDeadline = db.prepare(SET_DEADLINE)
  const removeCall = db.prepare(REMOVE_CALL)
  const trimCalls = db.prepare(TRIM_CALLS)
  return {
    templates: {
      all: () => templates.all().map(toTemplate),
      get(id) {
        const row = template.get(id)
        return row && toTemplate(row)
      },
      save: ({ settings, ...row }) => void saveTemplate.run({ ...row, settings: JSON.stringify(settings) }),
      remove: (id) => void removeTemplate.run(id),
    },
    volumes: {
      all: () => volumes.all(),
      get: (id) => volume.get(id),
      save: (row) => void saveVolume.run(row),
      remove: (id) => void removeVolume.run(id),
    },
    taskCalls: {
      get(id) {
        const row = call.get(id)
        return row && { ...row, deadlineAt: row.deadlineAt ?? undefined }
      },
      add: ({ tokenHash, deadlineAt, ...row }) =>
        void addCall.run({ ...row, tokenHash: Buffer.from(tokenHash), deadlineAt: deadlineAt ?? null }),
      setDeadline: (id, at) => void setDeadline.run(at, id),
      remove: (id) => void removeCall.run(id),
      trim: (before) => void trimCalls.run(before),
    },
  }
}

function toTemplate({ settings, ...row }: TemplateRow): StoredTemplate {
  return { ...row, settings: JSON.parse(settings) }
}
