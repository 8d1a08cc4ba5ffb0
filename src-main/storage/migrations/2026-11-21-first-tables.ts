import { JOB_STATES } from '../../contract/job.ts'
import { isFinal } from '../../domain/job/transitions.ts'

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ')
const FINAL_STATES = quoted(JOB_STATES.filter(isFinal))

/**
 * The first tables. `*_at` columns called `queued_at`, `started_at`, `deadline_at` and `next_at` are on the steady time line
 * (see services/ports Clock); all others are wall time.
 */
export const firstTables = {
  id: '2026-11-21-first-tables',
  sql: `
CREATE TABLE endpoints (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL UNIQUE,
  config      TEXT NOT NULL,                     -- JSON of contract/endpoint endpointConfig
  paused      INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
  key_hash    BLOB NOT NULL,
  revision    INTEGER NOT NULL DEFAULT 1,        -- grows when workers must be replaced
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  completed   INTEGER NOT NULL DEFAULT 0,        -- totals since the endpoint was made
  failed      INTEGER NOT NULL DEFAULT 0,
  retried     INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE jobs (
  seq                   INTEGER PRIMARY KEY AUTOINCREMENT,
  id                    TEXT NOT NULL UNIQUE,
  endpoint_id           TEXT NOT NULL,
  status                TEXT NOT NULL CHECK (status IN (${quoted(JOB_STATES)})),
  low_priority          INTEGER NOT NULL CHECK (low_priority IN (0, 1)),
  attempt               INTEGER NOT NULL DEFAULT 0,
  retries               INTEGER NOT NULL DEFAULT 0,
  worker_id             TEXT,
  created_at            INTEGER NOT NULL,
  queued_at             INTEGER NOT NULL,
  started_at            INTEGER,
  finished_at           INTEGER,
  delay_ms              INTEGER,
  execution_ms          INTEGER,
  execution_timeout_ms  INTEGER NOT NULL,
  ttl_ms                INTEGER NOT NULL,
  retention_ms          INTEGER NOT NULL,
  deadline_at           INTEGER NOT NULL,        -- end of ttl, or of retention once the job has ended
  stream_cursor         INTEGER NOT NULL DEFAULT 0,
  webhook               TEXT,
  error                 TEXT,
  CHECK ((finished_at IS NOT NULL) = (status IN (${FINAL_STATES}))),
  CHECK ((status = 'IN_PROGRESS') <= (worker_id IS NOT NULL AND started_at IS NOT NULL))
) STRICT;
-- Serves the claim (oldest of normal priority first), counts and lists by state.
CREATE INDEX jobs_by_state ON jobs (endpoint_id, status, low_priority, seq);
CREATE INDEX jobs_by_endpoint ON jobs (endpoint_id, seq);
CREATE INDEX jobs_by_deadline ON jobs (deadline_at);

-- Payloads apart from the job, so that a change of state never rewrites 20 MB.
CREATE TABLE job_inputs (
  seq        INTEGER PRIMARY KEY REFERENCES jobs (seq) ON DELETE CASCADE,
  input      TEXT NOT NULL,
  s3_config  TEXT
) STRICT;
CREATE TABLE job_outputs (
  seq     INTEGER PRIMARY KEY REFERENCES jobs (seq) ON DELETE CASCADE,
  output  TEXT NOT NULL
) STRICT;
CREATE TABLE job_chunks (
  seq     INTEGER NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
  n       INTEGER NOT NULL,
  chunk   TEXT NOT NULL,                         -- JSON of {output, metrics?}
  PRIMARY KEY (seq, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE idempotency_keys (
  endpoint_id  TEXT NOT NULL,
  key          TEXT NOT NULL,
  seq          INTEGER NOT NULL UNIQUE REFERENCES jobs (seq) ON DELETE CASCADE,
  PRIMARY KEY (endpoint_id, key)
) STRICT, WITHOUT ROWID;

-- Every move of a job, every state of a worker, every change of an endpoint: history, event stream and search feed.
CREATE TABLE events (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  at           INTEGER NOT NULL,
  type         TEXT NOT NULL CHECK (type IN ('job', 'worker', 'endpoint')),
  endpoint_id  TEXT NOT NULL,
  seq          INTEGER REFERENCES jobs (seq) ON DELETE CASCADE,
  worker_id    TEXT,
  event        TEXT NOT NULL,
  from_state   TEXT,
  to_state     TEXT,
  attempt      INTEGER,
  reason       TEXT
) STRICT;
CREATE INDEX events_of_job ON events (seq) WHERE seq IS NOT NULL;
CREATE INDEX events_of_fleet ON events (at) WHERE seq IS NULL;

CREATE VIRTUAL TABLE job_search USING fts5 (
  endpoint, text, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2"
);

CREATE TABLE webhook_deliveries (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  seq          INTEGER NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
  url          TEXT NOT NULL,
  state        TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts     INTEGER NOT NULL DEFAULT 0,
  next_at      INTEGER,
  last_status  INTEGER,
  last_error   TEXT,
  updated_at   INTEGER NOT NULL,
  CHECK ((state = 'pending') = (next_at IS NOT NULL))
) STRICT;
CREATE INDEX deliveries_due ON webhook_deliveries (next_at) WHERE state = 'pending';
CREATE INDEX deliveries_of_job ON webhook_deliveries (seq);

CREATE TABLE workers (
  id           TEXT PRIMARY KEY,
  endpoint_id  TEXT NOT NULL,
  revision     INTEGER NOT NULL,
  token_hash   BLOB NOT NULL,
  handle       TEXT NOT NULL,                    -- JSON by which the driver finds the worker again
  started_at   INTEGER NOT NULL
) STRICT;

CREATE TABLE log_lines (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  at           INTEGER NOT NULL,
  endpoint_id  TEXT NOT NULL,
  worker_id    TEXT NOT NULL,
  job_id       TEXT,
  level        TEXT NOT NULL,
  line         TEXT NOT NULL
) STRICT;
CREATE INDEX log_lines_of_endpoint ON log_lines (endpoint_id, id);
CREATE INDEX log_lines_of_worker ON log_lines (worker_id, id);
CREATE INDEX log_lines_of_job ON log_lines (job_id, id) WHERE job_id IS NOT NULL;
CREATE INDEX log_lines_by_time ON log_lines (at);

CREATE TABLE metrics (
  endpoint_id  TEXT NOT NULL,
  at           INTEGER NOT NULL,
  point        TEXT NOT NULL,                    -- JSON of services/management/metrics Step
  PRIMARY KEY (endpoint_id, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE service_state (
  name   TEXT PRIMARY KEY,
  value  TEXT NOT NULL                           -- JSON
) STRICT, WITHOUT ROWID;
`,
} as const
