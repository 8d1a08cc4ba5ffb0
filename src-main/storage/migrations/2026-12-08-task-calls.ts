/** Calls of tasks that the platform's package has begun and not ended. Times are wall ms. */
export const taskCalls = {
  id: '2026-12-08-task-calls',
  sql: `
CREATE TABLE task_calls (
  id           TEXT PRIMARY KEY,      -- also the idempotency key of its job
  endpoint_id  TEXT NOT NULL,
  token_hash   BLOB NOT NULL,
  deadline_at  INTEGER,               -- NULL: none was set
  created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`,
} as const
