/** Bulk actions that wait for their time, in which they can be undone, and the latest of those that have ended. */
export const pendingBulk = {
  id: '2026-12-15-pending-bulk',
  sql: `
CREATE TABLE pending_bulk (
  seq         INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  action      TEXT NOT NULL,
  selection   TEXT NOT NULL,                            -- JSON: ids, or a filter
  state       TEXT NOT NULL DEFAULT 'waiting',
  created_at  INTEGER NOT NULL,
  due_at      INTEGER NOT NULL,
  result      TEXT                                      -- JSON
) STRICT;
`,
} as const
