/** How the workers of an endpoint ended lately, so that a crash loop goes on after a restart of the service. */
export const workerExits = {
  id: '2026-12-02-worker-exits',
  sql: `
CREATE TABLE worker_exits (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint_id  TEXT NOT NULL,
  ended_at     INTEGER NOT NULL,                 -- steady ms
  lived_ms     INTEGER NOT NULL,
  became_ready INTEGER NOT NULL CHECK (became_ready IN (0, 1)),
  jobs_done    INTEGER NOT NULL,
  ordered      INTEGER NOT NULL CHECK (ordered IN (0, 1)),
  reason       TEXT NOT NULL,
  code         INTEGER
) STRICT;
CREATE INDEX worker_exits_of_endpoint ON worker_exits (endpoint_id, id);
`,
} as const
