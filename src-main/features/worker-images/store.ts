import type { Database } from 'better-sqlite3'
import { queriesOf } from '../../database/queries.ts'

export function createWorkflowLockStore(db: Database) {
  const query = queriesOf(db)
  return {
    get: query<[workflowId: string], { readonly lock: string; readonly text: string }>(`
      SELECT lock, text FROM workflow_locks WHERE workflow_id = ?`).one(),
    save: query<[{ workflowId: string; lock: string; text: string }]>(`
      INSERT INTO workflow_locks (workflow_id, lock, text) VALUES (@workflowId, @lock, @text)
      ON CONFLICT (workflow_id) DO UPDATE SET lock = excluded.lock, text = excluded.text`).run(),
  }
}
