import { createHash } from 'node:crypto'
import { BATCH_STATES } from '../contract/batch.ts'
import { JOB_STATES } from '../contract/job.ts'
import { isFinal } from '../features/jobs/rules/transitions.ts'

// With IN, SQLite builds a table of the words for every written row: a third of the submit time.
const anyOf = (column: string, words: readonly string[]) => words.map((word) => `${column} = '${word}'`).join(' OR ')

/** All tables. Columns ending in `_at` are wall time in ms, unless marked `steady` (steady clock). */
export const SCHEMA = `
-- Endpoints and their workers.

CREATE TABLE endpoints (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL UNIQUE,
  config      TEXT NOT NULL,                     -- JSON
  paused      INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
  key_hash    BLOB NOT NULL,
  revision    INTEGER NOT NULL DEFAULT 1,        -- grows when workers must be replaced
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  completed   INTEGER NOT NULL DEFAULT 0,        -- totals since the endpoint was made
  failed      INTEGER NOT NULL DEFAULT 0,
  retried     INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE endpoint_revisions (
  endpoint_id  TEXT NOT NULL,
  revision     INTEGER NOT NULL,
  at           INTEGER NOT NULL,
  changes      TEXT NOT NULL CHECK (json_valid(changes)),    -- values of variables are hidden
  PRIMARY KEY (endpoint_id, revision)
) STRICT, WITHOUT ROWID;

CREATE TABLE workers (
  id           TEXT PRIMARY KEY,
  endpoint_id  TEXT NOT NULL,
  revision     INTEGER NOT NULL,
  token_hash   BLOB NOT NULL,
  pool         TEXT NOT NULL CHECK (pool IN ('main', 'batch')),
  handle       TEXT NOT NULL,                    -- JSON by which the driver finds the worker again
  started_at   INTEGER NOT NULL,
  server       TEXT                              -- address of its ComfyUI server; null: it has none of its own
) STRICT;

CREATE TABLE worker_exits (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint_id  TEXT NOT NULL,
  pool         TEXT NOT NULL CHECK (pool IN ('main', 'batch')),
  ended_at     INTEGER NOT NULL,                 -- steady
  lived_ms     INTEGER NOT NULL,
  became_ready INTEGER NOT NULL CHECK (became_ready IN (0, 1)),
  jobs_done    INTEGER NOT NULL,
  ordered      INTEGER NOT NULL CHECK (ordered IN (0, 1)),
  reason       TEXT NOT NULL,
  code         INTEGER
) STRICT;

CREATE INDEX worker_exits_of_endpoint ON worker_exits (endpoint_id, pool, id);

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
  point        TEXT NOT NULL,                    -- JSON
  PRIMARY KEY (endpoint_id, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE requests (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  at             INTEGER NOT NULL,
  endpoint_id    TEXT NOT NULL,
  method         TEXT NOT NULL,
  path           TEXT NOT NULL,                  -- without the query
  status         INTEGER CHECK (status BETWEEN 100 AND 599),  -- NULL: the client left before there was one
  worker_id      TEXT,
  waited_ms      INTEGER NOT NULL,
  first_byte_ms  INTEGER,
  duration_ms    INTEGER NOT NULL,
  bytes_in       INTEGER NOT NULL,
  bytes_out      INTEGER NOT NULL,
  error          TEXT
) STRICT;

CREATE INDEX requests_of_endpoint ON requests (endpoint_id, id);

CREATE INDEX requests_by_time ON requests (at);

CREATE TABLE saved_requests (
  id           TEXT PRIMARY KEY,
  endpoint_id  TEXT NOT NULL,
  name         TEXT NOT NULL,
  request      TEXT NOT NULL CHECK (json_valid(request)),
  updated_at   INTEGER NOT NULL,
  UNIQUE (endpoint_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE load_tests (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  id           TEXT NOT NULL UNIQUE,
  endpoint_id  TEXT NOT NULL,
  state        TEXT NOT NULL CHECK (state IN ('running', 'completed', 'stopped')),
  reason       TEXT,                                        -- why it was stopped
  plan         TEXT NOT NULL CHECK (json_valid(plan)),
  started_at   INTEGER NOT NULL,
  result       TEXT NOT NULL CHECK (json_valid(result)),
  CHECK ((state = 'stopped') = (reason IS NOT NULL))
) STRICT;

CREATE INDEX load_tests_of_endpoint ON load_tests (endpoint_id, seq);

CREATE INDEX load_tests_running ON load_tests (seq) WHERE state = 'running';

-- Jobs. Payloads have tables of their own, so that a change of state does not rewrite them. Large ones are files in
-- the folder payloads: however a row goes, its file is noted, and deleted after the commit. Indexes of the queue
-- leave archived jobs out, which the job API has forgotten.

CREATE TABLE jobs (
  seq                   INTEGER PRIMARY KEY AUTOINCREMENT,
  id                    TEXT NOT NULL UNIQUE,
  endpoint_id           TEXT NOT NULL,
  status                TEXT NOT NULL CHECK (${anyOf('status', JOB_STATES)}),
  low_priority          INTEGER NOT NULL CHECK (low_priority IN (0, 1)),
  attempt               INTEGER NOT NULL DEFAULT 0,
  retries               INTEGER NOT NULL DEFAULT 0,
  worker_id             TEXT,
  created_at            INTEGER NOT NULL,
  queued_at             INTEGER NOT NULL,        -- steady
  started_at            INTEGER,                 -- steady
  finished_at           INTEGER,
  delay_ms              INTEGER,
  execution_ms          INTEGER,
  execution_timeout_ms  INTEGER NOT NULL,
  ttl_ms                INTEGER NOT NULL,
  retention_ms          INTEGER NOT NULL,
  deadline_at           INTEGER NOT NULL,        -- steady: end of ttl, or of retention once the job has ended
  stream_cursor         INTEGER NOT NULL DEFAULT 0,
  webhook               TEXT,
  error                 TEXT,
  archived              INTEGER NOT NULL DEFAULT 0 CHECK (archived = 0 OR (archived = 1 AND finished_at IS NOT NULL)),
  place                 INTEGER,                 -- of a waiting job that somebody moved; NULL: its seq
  priority              INTEGER NOT NULL DEFAULT 0 CHECK (priority = 0 OR place IS NOT NULL),
  lane                  INTEGER NOT NULL DEFAULT 0 CHECK (lane BETWEEN 0 AND 7),  -- low_priority, plus 2 with a place, plus 4 for batch workers
  batch                 INTEGER,
  CHECK ((finished_at IS NOT NULL) = (${anyOf('status', JOB_STATES.filter(isFinal))})),
  CHECK ((status = 'IN_PROGRESS') <= (worker_id IS NOT NULL AND started_at IS NOT NULL))
) STRICT;

CREATE INDEX jobs_by_endpoint ON jobs (endpoint_id, seq);

CREATE INDEX jobs_by_worker ON jobs (worker_id, seq) WHERE worker_id IS NOT NULL;

CREATE INDEX jobs_by_deadline ON jobs (deadline_at) WHERE archived = 0;

CREATE INDEX archived_jobs_by_state ON jobs (status, endpoint_id, seq) WHERE archived = 1;

-- For the next job, and for counts and lists by state. The state is first: a list over all endpoints skips those without one.
CREATE INDEX jobs_by_state ON jobs (status, endpoint_id, lane, seq) WHERE archived = 0;

-- Apart, so that other jobs cost a submit and a claim nothing more.
CREATE INDEX moved_jobs ON jobs (endpoint_id, status, lane, priority DESC, place)
  WHERE place IS NOT NULL AND archived = 0;

CREATE INDEX jobs_by_batch ON jobs (batch, status, seq) WHERE batch IS NOT NULL;

CREATE TRIGGER batch_job_moved AFTER UPDATE OF status, batch ON jobs WHEN OLD.batch IS NOT NULL OR NEW.batch IS NOT NULL BEGIN
  UPDATE batch_counts SET count = count - 1 WHERE batch = OLD.batch AND status = OLD.status;
  INSERT INTO batch_counts (batch, status, count) SELECT NEW.batch, NEW.status, 1 WHERE NEW.batch IS NOT NULL
    ON CONFLICT (batch, status) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER batch_job_removed AFTER DELETE ON jobs WHEN OLD.batch IS NOT NULL BEGIN
  UPDATE batch_counts SET count = count - 1 WHERE batch = OLD.batch AND status = OLD.status;
  INSERT INTO batch_counts (batch, status, count) VALUES (OLD.batch, 'GONE', 1)
    ON CONFLICT (batch, status) DO UPDATE SET count = count + 1;
END;

-- Lists show these among the timed-out ones.
CREATE INDEX jobs_over_time_limit ON jobs (endpoint_id, archived, seq)
  WHERE status = 'FAILED' AND error = 'executionTimeout exceeded';

CREATE TABLE job_inputs (
  seq         INTEGER PRIMARY KEY REFERENCES jobs (seq) ON DELETE CASCADE,
  input       TEXT NOT NULL,                     -- of a file its beginning, for the search
  s3_config   TEXT,
  secrets     TEXT,                              -- sealed members of the input
  file        TEXT,
  file_bytes  INTEGER
) STRICT;

CREATE INDEX job_inputs_by_file ON job_inputs (file) WHERE file IS NOT NULL;

CREATE TRIGGER input_removed AFTER DELETE ON job_inputs WHEN OLD.file IS NOT NULL
  BEGIN INSERT INTO removed_payloads (file) VALUES (OLD.file); END;

CREATE TABLE job_outputs (
  seq         INTEGER PRIMARY KEY REFERENCES jobs (seq) ON DELETE CASCADE,
  output      TEXT NOT NULL,                     -- of a file its beginning, for the search
  file        TEXT,
  file_bytes  INTEGER
) STRICT;

CREATE INDEX job_outputs_by_file ON job_outputs (file) WHERE file IS NOT NULL;

CREATE TRIGGER output_removed AFTER DELETE ON job_outputs WHEN OLD.file IS NOT NULL
  BEGIN INSERT INTO removed_payloads (file) VALUES (OLD.file); END;

CREATE TRIGGER output_replaced AFTER UPDATE OF file ON job_outputs WHEN OLD.file IS NOT NULL
  BEGIN INSERT INTO removed_payloads (file) VALUES (OLD.file); END;

CREATE TABLE removed_payloads (file TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

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

CREATE TABLE webhook_deliveries (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  seq          INTEGER NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
  url          TEXT NOT NULL,
  state        TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts     INTEGER NOT NULL DEFAULT 0,
  next_at      INTEGER,                         -- steady
  last_status  INTEGER,
  last_error   TEXT,
  updated_at   INTEGER NOT NULL,
  CHECK ((state = 'pending') = (next_at IS NOT NULL))
) STRICT;

CREATE INDEX deliveries_due ON webhook_deliveries (next_at) WHERE state = 'pending';

CREATE INDEX deliveries_of_job ON webhook_deliveries (seq);

CREATE TABLE job_traces (
  seq      INTEGER PRIMARY KEY REFERENCES jobs (seq) ON DELETE CASCADE,
  trace_id TEXT NOT NULL,
  span_id  TEXT NOT NULL,
  sampled  INTEGER NOT NULL CHECK (sampled IN (0, 1)),
  state    TEXT                   -- the header tracestate; NULL: there was none
) STRICT;

CREATE TABLE job_archive (
  seq             INTEGER PRIMARY KEY REFERENCES jobs (seq) ON DELETE CASCADE,
  archived_at     INTEGER NOT NULL,                                -- steady
  record_bytes    INTEGER NOT NULL,                                -- its input and its record, about
  output_bytes    INTEGER NOT NULL,                                -- its output and its chunks, about
  output_removed  INTEGER NOT NULL DEFAULT 0 CHECK (output_removed IN (0, 1))
) STRICT;

CREATE INDEX job_archive_by_time ON job_archive (archived_at);

CREATE INDEX job_archive_by_output ON job_archive (output_bytes);

CREATE TRIGGER job_archived AFTER INSERT ON job_archive BEGIN
  UPDATE job_archive_total SET bytes = bytes + NEW.record_bytes + NEW.output_bytes;
END;

CREATE TRIGGER job_archive_changed AFTER UPDATE OF record_bytes, output_bytes ON job_archive BEGIN
  UPDATE job_archive_total
  SET bytes = bytes + NEW.record_bytes + NEW.output_bytes - OLD.record_bytes - OLD.output_bytes;
END;

-- Also when the job is deleted.
CREATE TRIGGER job_archive_removed AFTER DELETE ON job_archive BEGIN
  UPDATE job_archive_total SET bytes = bytes - OLD.record_bytes - OLD.output_bytes;
END;

-- Asked each half second.
CREATE TABLE job_archive_total (bytes INTEGER NOT NULL CHECK (bytes >= 0)) STRICT;
INSERT INTO job_archive_total (bytes) VALUES (0);

CREATE VIRTUAL TABLE job_search USING fts5 (
  endpoint, error, text, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2"
);

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

-- Batches. A row of batch_lines outlives its job. Counts by state: UNQUEUED is for inputs that are not jobs yet, GONE for
-- deleted jobs, REFUSED for inputs that never became jobs.

CREATE TABLE batches (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,       -- no later batch gets the number of one that was deleted
  id           TEXT NOT NULL UNIQUE,
  endpoint_id  TEXT NOT NULL,
  name         TEXT NOT NULL,
  fingerprint  TEXT,
  total        INTEGER NOT NULL CHECK (total >= 0),     -- inputs
  received     INTEGER NOT NULL DEFAULT 0,              -- all lines up to this one were taken in
  state        TEXT NOT NULL DEFAULT 'FINALIZED' CHECK (${anyOf('state', BATCH_STATES)}),
  settled      INTEGER NOT NULL DEFAULT 1 CHECK (settled IN (0, 1)),  -- 0: its jobs do not match its state yet
  created_at   INTEGER NOT NULL
) STRICT;

CREATE INDEX batches_unsettled ON batches (seq) WHERE settled = 0;

CREATE INDEX batches_by_endpoint ON batches (endpoint_id, seq);

CREATE TABLE batch_lines (
  batch   INTEGER NOT NULL,
  line    INTEGER NOT NULL CHECK (line > 0),
  id      TEXT,                                         -- of its job, given before the job exists
  seq     INTEGER,                                      -- its job
  reason  TEXT,                                         -- why it became no job
  PRIMARY KEY (batch, line),
  CHECK (seq IS NULL OR reason IS NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX batch_lines_by_id ON batch_lines (id) WHERE id IS NOT NULL;

CREATE INDEX batch_lines_by_job ON batch_lines (seq) WHERE seq IS NOT NULL;

CREATE INDEX batch_lines_refused ON batch_lines (batch, reason) WHERE reason IS NOT NULL;

CREATE TRIGGER batch_line_added AFTER INSERT ON batch_lines WHEN NEW.seq IS NULL BEGIN
  INSERT INTO batch_counts (batch, status, count)
    VALUES (NEW.batch, CASE WHEN NEW.reason IS NULL THEN 'UNQUEUED' ELSE 'REFUSED' END, 1)
    ON CONFLICT (batch, status) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER batch_line_decided AFTER UPDATE OF seq, reason ON batch_lines
WHEN OLD.seq IS NULL AND OLD.reason IS NULL BEGIN
  UPDATE batch_counts SET count = count - 1 WHERE batch = OLD.batch AND status = 'UNQUEUED';
  INSERT INTO batch_counts (batch, status, count) SELECT NEW.batch, 'REFUSED', 1 WHERE NEW.reason IS NOT NULL
    ON CONFLICT (batch, status) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER batch_line_removed AFTER DELETE ON batch_lines WHEN OLD.seq IS NULL AND OLD.reason IS NULL BEGIN
  UPDATE batch_counts SET count = count - 1 WHERE batch = OLD.batch AND status = 'UNQUEUED';
END;

-- Requests that are not jobs yet; the job takes over the file of a large input.
CREATE TABLE draft_requests (
  batch       INTEGER NOT NULL,
  line        INTEGER NOT NULL,
  request     TEXT NOT NULL CHECK (json_valid(request)),   -- without input and bucket
  input       TEXT NOT NULL,
  s3_config   TEXT,
  secrets     TEXT,                                  -- sealed members of the input
  file        TEXT,
  file_bytes  INTEGER,
  UNIQUE (batch, line)
) STRICT;

CREATE INDEX draft_requests_by_file ON draft_requests (file) WHERE file IS NOT NULL;

CREATE TRIGGER draft_request_removed AFTER DELETE ON draft_requests
WHEN OLD.file IS NOT NULL AND NOT EXISTS (SELECT 1 FROM job_inputs WHERE file = OLD.file)
  BEGIN INSERT INTO removed_payloads (file) VALUES (OLD.file); END;

CREATE TABLE batch_counts (
  batch   INTEGER NOT NULL,
  status  TEXT NOT NULL,
  count   INTEGER NOT NULL,
  PRIMARY KEY (batch, status)
) STRICT, WITHOUT ROWID;

-- Events: each move of a job, each state of a worker, each change of an endpoint.

CREATE TABLE events (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  at           INTEGER NOT NULL,
  type         TEXT NOT NULL CHECK (${anyOf('type', ['job', 'worker', 'endpoint', 'run'])}),
  endpoint_id  TEXT NOT NULL,
  seq          INTEGER REFERENCES jobs (seq) ON DELETE CASCADE,
  worker_id    TEXT,
  event        TEXT NOT NULL,
  from_state   TEXT,
  to_state     TEXT,
  attempt      INTEGER,
  reason       TEXT,
  kind         TEXT CHECK (${anyOf('kind', ['endpoint', 'release', 'scale', 'crash', 'worker'])}),
  run_id       TEXT,
  CHECK ((type = 'run') = (run_id IS NOT NULL))
) STRICT;

CREATE INDEX events_of_job ON events (seq) WHERE seq IS NOT NULL;

CREATE INDEX events_of_fleet ON events (at) WHERE seq IS NULL;

-- With all that a list filters by.
CREATE INDEX events_by_kind ON events (kind, id, endpoint_id, at) WHERE kind IS NOT NULL;

-- Apps.

CREATE TABLE projects (
  id         TEXT PRIMARY KEY,
  folder     TEXT NOT NULL UNIQUE,     -- real path
  opened_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE apps (
  name        TEXT PRIMARY KEY,
  created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE environments (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,     -- never used twice: secrets are named by it
  app         TEXT NOT NULL REFERENCES apps (name) ON DELETE CASCADE,
  name        TEXT NOT NULL,
  variables   INTEGER NOT NULL DEFAULT 0,            -- version of its variables
  created_at  INTEGER NOT NULL,
  machine     TEXT,                                  -- NULL: the one that Drydock runs on
  UNIQUE (app, name)
) STRICT;

CREATE TABLE releases (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  environment_id  INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
  number          INTEGER NOT NULL CHECK (number >= 1),
  state           TEXT NOT NULL CHECK (state IN ('preparing', 'active', 'superseded', 'failed')),
  fingerprint     TEXT NOT NULL,
  artifact        TEXT,
  folder          TEXT,
  manifest        TEXT NOT NULL,                     -- JSON
  runs_on         TEXT NOT NULL CHECK (runs_on IN ('containers', 'processes')),
  rollback_of     INTEGER,                           -- a number of the same environment
  reason          TEXT,
  created_at      INTEGER NOT NULL,
  activated_at    INTEGER,
  ended_at        INTEGER,
  kind            TEXT NOT NULL DEFAULT 'deploy' CHECK (kind IN ('deploy', 'rollback', 'variables')),
  git             TEXT,                              -- JSON of the commit
  UNIQUE (environment_id, number),
  CHECK ((artifact IS NULL) <> (folder IS NULL)),
  CHECK ((activated_at IS NOT NULL) = (state IN ('active', 'superseded'))),
  CHECK ((ended_at IS NOT NULL) = (state IN ('failed', 'superseded')))
) STRICT;

CREATE UNIQUE INDEX releases_preparing ON releases (environment_id) WHERE state = 'preparing';

CREATE UNIQUE INDEX releases_active ON releases (environment_id) WHERE state = 'active';

-- Without reading rows, which hold manifests.
CREATE INDEX releases_by_artifact ON releases (artifact) WHERE artifact IS NOT NULL;

CREATE TABLE target_deploys (
  target       TEXT NOT NULL,
  app          TEXT NOT NULL,
  environment  TEXT NOT NULL,
  number       INTEGER NOT NULL CHECK (number >= 1),
  build        TEXT NOT NULL,         -- its id on the target
  artifact     TEXT NOT NULL,
  manifest     TEXT NOT NULL,         -- JSON
  rollback_of  INTEGER,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (target, app, environment, number)
) STRICT, WITHOUT ROWID;

-- Workflows.

CREATE TABLE workflows (
  id           TEXT PRIMARY KEY,
  name         TEXT NOT NULL,
  version      INTEGER NOT NULL,                           -- the newest that was saved, 0 without any
  draft        INTEGER NOT NULL,                           -- 0: no draft
  drafts       INTEGER NOT NULL,                           -- how many were ever kept, so that none has the number of another
  nodes        INTEGER NOT NULL,
  thumbnail    TEXT,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL,
  deleted_at   INTEGER,
  thumbnail_version  INTEGER,
  thumbnail_draft    INTEGER,
  CHECK (draft IN (0, drafts))
) STRICT, WITHOUT ROWID;

CREATE INDEX workflows_deleted ON workflows (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE INDEX workflows_by_change ON workflows (updated_at, id) WHERE deleted_at IS NULL;

CREATE TABLE workflow_texts (
  workflow_id  TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
  version      INTEGER NOT NULL,                           -- 0: the draft
  saved_at     INTEGER NOT NULL,
  nodes        INTEGER NOT NULL,
  files        TEXT NOT NULL CHECK (json_valid(files)),    -- names of files that its nodes may ask for
  text         TEXT NOT NULL,                              -- last, so that nothing else is read through it
  UNIQUE (workflow_id, version)
) STRICT;

CREATE TABLE workflow_locks (
  workflow_id  TEXT PRIMARY KEY REFERENCES workflows (id) ON DELETE CASCADE,
  lock         TEXT NOT NULL CHECK (json_valid(lock)),     -- what its worker image is built from
  text         TEXT NOT NULL                               -- the same, as people read it
) STRICT;

CREATE TABLE assets (
  id           TEXT PRIMARY KEY,
  bytes        INTEGER NOT NULL,
  media_type   TEXT NOT NULL,
  width        INTEGER,
  height       INTEGER,
  created_at   INTEGER NOT NULL,
  used_at      INTEGER NOT NULL,
  CHECK ((width IS NULL) = (height IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX assets_by_use ON assets (used_at);

CREATE TRIGGER asset_added AFTER INSERT ON assets BEGIN UPDATE assets_total SET bytes = bytes + NEW.bytes; END;

CREATE TRIGGER asset_removed AFTER DELETE ON assets BEGIN UPDATE assets_total SET bytes = bytes - OLD.bytes; END;

-- Asked for each file that comes.
CREATE TABLE assets_total (bytes INTEGER NOT NULL CHECK (bytes >= 0)) STRICT;
INSERT INTO assets_total (bytes) VALUES (0);

-- A name has one file, whatever endpoint it is for: endpoints may share a server with one folder of inputs.
CREATE TABLE asset_names (
  name         TEXT NOT NULL,
  endpoint_id  TEXT NOT NULL DEFAULT '',                   -- whose ComfyUI clients see it; empty: those of all
  asset        TEXT NOT NULL REFERENCES assets (id) ON DELETE CASCADE,
  named_at     INTEGER NOT NULL,
  PRIMARY KEY (name, endpoint_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX asset_names_by_asset ON asset_names (asset);

CREATE INDEX asset_names_by_time ON asset_names (named_at, name);

CREATE TABLE node_types (
  endpoint_id  TEXT PRIMARY KEY,
  source       TEXT NOT NULL CHECK (source IN ('server', 'file')),
  server       TEXT,
  read_at      INTEGER NOT NULL,
  text         TEXT NOT NULL,
  version      TEXT,
  CHECK ((source = 'server') = (server IS NOT NULL))
) STRICT;

CREATE TABLE workflow_runs (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  id           TEXT NOT NULL UNIQUE,                       -- of its job
  endpoint_id  TEXT NOT NULL,
  workflow_id  TEXT,
  sweep_id     TEXT,
  title        TEXT NOT NULL,
  label        TEXT,
  status       TEXT NOT NULL CHECK (status IN ('IN_QUEUE', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT')),
  created_at   INTEGER NOT NULL,
  ended_at     INTEGER,
  execution_ms INTEGER,
  results      TEXT NOT NULL CHECK (json_valid(results)),
  errors       TEXT NOT NULL CHECK (json_valid(errors)),
  files        TEXT NOT NULL CHECK (json_valid(files)),    -- names of files that it loads
  words        TEXT NOT NULL,                              -- in lower case, for the search
  cell         TEXT CHECK (cell IS NULL OR json_valid(cell)),  -- place in the sheet of its sweep
  previews     TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(previews)),
  needs        TEXT CHECK (needs IS NULL OR json_valid(needs)), -- node classes and models; null: unknown
  -- One that has not ended has the state of its job.
  CHECK ((ended_at IS NULL) = (status = 'IN_QUEUE'))
) STRICT;

CREATE INDEX workflow_runs_open ON workflow_runs (seq) WHERE ended_at IS NULL;

CREATE INDEX workflow_runs_of_workflow ON workflow_runs (workflow_id, seq) WHERE workflow_id IS NOT NULL;

CREATE INDEX workflow_runs_of_endpoint ON workflow_runs (endpoint_id, seq, status, execution_ms);

CREATE INDEX workflow_runs_of_sweep ON workflow_runs (sweep_id, seq) WHERE sweep_id IS NOT NULL;

CREATE TABLE workflow_run_texts (
  seq          INTEGER PRIMARY KEY REFERENCES workflow_runs (seq) ON DELETE CASCADE,
  payload      TEXT NOT NULL,
  document     TEXT
) STRICT;

CREATE TABLE comfyui_prompts (
  seq          INTEGER PRIMARY KEY REFERENCES workflow_runs (seq) ON DELETE CASCADE,
  client_id    TEXT,
  extra        TEXT NOT NULL CHECK (json_valid(extra)),    -- extra_data without the document and keys
  outputs      TEXT NOT NULL CHECK (json_valid(outputs)),  -- ids of nodes
  metadata     TEXT CHECK (metadata IS NULL OR json_valid(metadata))  -- labels that clients of Comfy API v2 set
) STRICT;

-- Uploads by clients of Comfy API v2: a record each, over files that they share.
CREATE TABLE comfyui_assets (
  id           TEXT PRIMARY KEY,
  endpoint_id  TEXT NOT NULL REFERENCES endpoints (id) ON DELETE CASCADE,
  asset        TEXT NOT NULL REFERENCES assets (id) ON DELETE CASCADE,
  blake3       TEXT NOT NULL,
  name         TEXT NOT NULL,                              -- under which graphs load it
  file_path    TEXT,
  content_type TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX comfyui_assets_by_hash ON comfyui_assets (endpoint_id, blake3, created_at);

CREATE INDEX comfyui_assets_by_asset ON comfyui_assets (asset);

CREATE INDEX comfyui_assets_by_end ON comfyui_assets (expires_at) WHERE expires_at IS NOT NULL;

-- Files that ComfyUI's page stores, and its settings under an empty path.
CREATE TABLE comfyui_user_files (
  endpoint_id  TEXT NOT NULL REFERENCES endpoints (id) ON DELETE CASCADE,
  path         TEXT NOT NULL,
  content      BLOB NOT NULL,
  created_at   INTEGER NOT NULL,
  modified_at  INTEGER NOT NULL,
  PRIMARY KEY (endpoint_id, path)
) STRICT;

CREATE TRIGGER run_texts_added AFTER INSERT ON workflow_run_texts BEGIN
  UPDATE workflow_runs_total SET bytes = bytes + octet_length(NEW.payload) + COALESCE(octet_length(NEW.document), 0);
END;

-- Also when the run is deleted.
CREATE TRIGGER run_texts_removed AFTER DELETE ON workflow_run_texts BEGIN
  UPDATE workflow_runs_total SET bytes = bytes - octet_length(OLD.payload) - COALESCE(octet_length(OLD.document), 0);
END;

CREATE TABLE workflow_runs_total (bytes INTEGER NOT NULL CHECK (bytes >= 0)) STRICT;
INSERT INTO workflow_runs_total (bytes) VALUES (0);

CREATE TABLE graph_versions (
  endpoint_id  TEXT NOT NULL,
  version      INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  workflow_id  TEXT,
  parameters   TEXT NOT NULL CHECK (json_valid(parameters)),
  results      TEXT NOT NULL CHECK (json_valid(results)),
  payload      TEXT NOT NULL,
  document     TEXT,
  UNIQUE (endpoint_id, version)
) STRICT;

CREATE TABLE graph_jobs (
  seq          INTEGER PRIMARY KEY REFERENCES jobs (seq) ON DELETE CASCADE,
  endpoint_id  TEXT NOT NULL,
  version      INTEGER NOT NULL,
  archived     INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1))
) STRICT;

CREATE INDEX graph_jobs_of_endpoint ON graph_jobs (endpoint_id, seq) WHERE archived = 0;

CREATE TABLE model_downloads (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT NOT NULL UNIQUE,
  url         TEXT NOT NULL,
  folder      TEXT NOT NULL,
  directory   TEXT NOT NULL,
  name        TEXT NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed', 'cancelled')),
  reason      TEXT,
  total_bytes INTEGER,
  received_bytes INTEGER NOT NULL DEFAULT 0,
  validator   TEXT,
  expected    TEXT,
  sha256      TEXT,
  created_at  INTEGER NOT NULL,
  ended_at    INTEGER,
  CHECK ((ended_at IS NOT NULL) = (state IN ('done', 'failed', 'cancelled')))
) STRICT;

CREATE INDEX model_downloads_under_way ON model_downloads (seq) WHERE state IN ('waiting', 'running');

-- One download writes a file at a time.
CREATE UNIQUE INDEX model_downloads_place ON model_downloads (folder, directory, name)
  WHERE state IN ('waiting', 'running');

-- Schedules and comparisons.

CREATE TABLE schedules (
  id           TEXT PRIMARY KEY,
  endpoint_id  TEXT NOT NULL,
  name         TEXT NOT NULL,
  cron         TEXT,
  every_ms     INTEGER,
  time_zone    TEXT,
  missed       TEXT NOT NULL CHECK (missed IN ('skip', 'run')),
  request      TEXT NOT NULL CHECK (json_valid(request)),   -- without the input
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

CREATE TABLE comparisons (
  seq         INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  state       TEXT NOT NULL CHECK (state IN ('running', 'done', 'stopped')),
  plan        TEXT NOT NULL CHECK (json_valid(plan)),   -- name, mode, versions, rules, jobs at once
  verdict     TEXT CHECK (json_valid(verdict)),
  created_at  INTEGER NOT NULL,
  ended_at    INTEGER,
  CHECK ((state = 'running') = (ended_at IS NULL)),
  CHECK ((state = 'running') = (verdict IS NULL))
) STRICT;

CREATE INDEX comparisons_running ON comparisons (seq) WHERE state = 'running';

CREATE TABLE comparison_items (
  comparison_id  TEXT NOT NULL,
  item           INTEGER NOT NULL CHECK (item > 0),
  source         TEXT NOT NULL,
  job_id         TEXT,              -- the stored job whose input it is
  input          TEXT,              -- or the input itself
  PRIMARY KEY (comparison_id, item),
  CHECK ((job_id IS NULL) <> (input IS NULL))
) STRICT, WITHOUT ROWID;

-- Written with the job in one transaction: no input is queued twice on a version.
CREATE TABLE comparison_runs (
  comparison_id  TEXT NOT NULL,
  item           INTEGER NOT NULL,
  version        INTEGER NOT NULL,
  job_id         TEXT,
  outcome        TEXT CHECK (outcome IN ('reference', 'same', 'differs', 'failed')),
  reason         TEXT,
  status         TEXT,
  ms             INTEGER,
  score          REAL NOT NULL DEFAULT 0,
  count          INTEGER NOT NULL DEFAULT 0,
  differences    TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(differences)),
  PRIMARY KEY (comparison_id, item, version),
  CHECK (outcome IS NOT NULL OR job_id IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX comparison_runs_worst ON comparison_runs (comparison_id, score DESC, count DESC, item, version);

-- The platform.

CREATE TABLE platform_templates (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL UNIQUE,
  settings    TEXT NOT NULL CHECK (json_valid(settings)),
  created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE network_volumes (
  id           TEXT PRIMARY KEY,
  name         TEXT NOT NULL UNIQUE,
  folder       TEXT NOT NULL UNIQUE,                         -- name of its folder, which stays when it is renamed
  size_gb      INTEGER NOT NULL CHECK (size_gb BETWEEN 10 AND 4096),
  data_center  TEXT NOT NULL,
  type         TEXT NOT NULL CHECK (type IN ('STANDARD', 'HIGH_PERFORMANCE')),
  created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE task_calls (
  id           TEXT PRIMARY KEY,      -- also the idempotency key of its job
  endpoint_id  TEXT NOT NULL,
  token_hash   BLOB NOT NULL,
  deadline_at  INTEGER,               -- NULL: none was set
  created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE pods (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL,
  settings    TEXT NOT NULL CHECK (json_valid(settings)),
  wanted      TEXT NOT NULL CHECK (wanted IN ('RUNNING', 'EXITED')),
  reason      TEXT,                   -- why the last start failed
  created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What happened to a pod, which its log shows; the lines of its container are kept by the engine.
CREATE TABLE pod_events (
  seq   INTEGER PRIMARY KEY AUTOINCREMENT,
  pod   TEXT NOT NULL REFERENCES pods (id) ON DELETE CASCADE,
  at    INTEGER NOT NULL,
  line  TEXT NOT NULL
) STRICT;

CREATE INDEX pod_events_by_pod ON pod_events (pod, seq);

-- The service.

CREATE TABLE machines (
  name      TEXT PRIMARY KEY,
  id        TEXT NOT NULL UNIQUE,     -- names what this service makes there
  way       TEXT NOT NULL,            -- JSON
  swarm     INTEGER NOT NULL CHECK (swarm IN (0, 1)),
  added_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE secrets (
  scope       TEXT NOT NULL,     -- what it is for, like 'registry'
  name        TEXT NOT NULL,
  nonce       BLOB NOT NULL CHECK (length(nonce) = 12),
  sealed      BLOB NOT NULL,     -- AES-256-GCM, its tag at the end; scope and name are authenticated with it
  updated_at  INTEGER NOT NULL,
  PRIMARY KEY (scope, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE named_keys (
  name            TEXT PRIMARY KEY,
  hash            BLOB NOT NULL,
  role            TEXT NOT NULL,
  created_at      INTEGER NOT NULL,
  ends_at         INTEGER,              -- NULL: it does not end by itself
  last_used_at    INTEGER,
  last_used_from  TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  id         INTEGER PRIMARY KEY,
  at         INTEGER NOT NULL,
  key        TEXT NOT NULL,             -- name of the key, also of one that is revoked
  came_from  TEXT,
  operation  TEXT NOT NULL,
  target     TEXT NOT NULL,
  status     INTEGER NOT NULL
) STRICT;

CREATE TABLE service_state (
  name   TEXT PRIMARY KEY,
  value  TEXT NOT NULL                           -- JSON
) STRICT, WITHOUT ROWID;
`

/** Changes with the schema; databases store it as user_version. */
export const SCHEMA_VERSION =
  createHash('sha256')
    .update(SCHEMA.replace(/--.*|\s+/g, ''))
    .digest()
    .readUInt32BE() >>> 1
