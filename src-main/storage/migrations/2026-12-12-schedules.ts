/** Schedules of endpoints, and what came of their times. All times are wall ms. */
export const schedules = {
  id: '2026-12-12-schedules',
  sql: `
CREATE TABLE schedules (
  id           TEXT PRIMARY KEY,
  endpoint_id  TEXT NOT NULL,
  name         TEXT NOT NULL,
  cron         TEXT,
  every_ms     INTEGER,
  time_zone    TEXT,
  missed       TEXT NOT NULL CHECK (missed IN ('skip', 'run')),
  request      TEXT NOT NULL CHECK (json_valid(request)),   -- what is queued, but for the input
  input        TEXT NOT NULL CHECK (json_valid(input)),
  paused       INTEGER NOT NULL CHECK (paused IN (0, 1)),
  created_at   INTEGER NOT NULL,
  next_at      INTEGER,
  UNIQUE (endpoint_id, name),
  CHECK ((cron IS NULL) <> (every_ms IS NULL)),
  CHECK (paused = 0 OR next_at IS NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX schedules_due ON schedules (next_at) WHERE next_at IS NOT NULL;

CREATE TABLE schedule_runs (
  seq          INTEGER PRIMARY KEY,
  schedule_id  TEXT NOT NULL,
  due_at       INTEGER NOT NULL,
  outcome      TEXT NOT NULL CHECK (outcome IN ('queued', 'refused', 'missed')),
  count        INTEGER NOT NULL CHECK (count > 0),
  job_id       TEXT,
  reason       TEXT
) STRICT;
CREATE INDEX schedule_runs_of ON schedule_runs (schedule_id, seq);
`,
} as const
