import type { Database } from 'better-sqlite3'
import { queriesOf } from '../../database/queries.ts'

export function createWorkflowLockStore(db: Database) {
  const query = queriesOf(db)
  return {
    text: query<[workflowId: string], string>(`SELECT text FROM workflow_locks WHERE workflow_id = ?`).value(),
    save: query<[{ workflowId: string; text: string }]>(`
      INSERT INTO workflow_locks (workflow_id, text) VALUES (@workflowId, @text)
      ON CONFLICT (workflow_id) DO UPDATE SET text = excluded.text`).run(),
  }
}
