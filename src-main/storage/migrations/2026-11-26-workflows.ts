/**
 * Workflows with their versions, assets, classes of nodes, and runs of graphs. All times are wall ms. The log of events
 * takes runs too, for which its table is made anew, as the list of types stands in a CHECK.
 */
export const workflows = {
  id: '2026-11-26-workflows',
  sql: `
CREATE TABLE workflows (
  id           TEXT PRIMARY KEY,
  name         TEXT NOT NULL,
  version      INTEGER NOT NULL,                           -- the newest that was saved, 0 without any
  draft        INTEGER NOT NULL,                           -- 0: there is none
  drafts       INTEGER NOT NULL,                           -- how many were ever kept, so that none has the number of another
  nodes        INTEGER NOT NULL,
  thumbnail    TEXT,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL,
  deleted_at   INTEGER,
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
-- Asked for each file that comes.
CREATE TABLE assets_total (bytes INTEGER NOT NULL CHECK (bytes >= 0)) STRICT;
INSERT INTO assets_total (bytes) VALUES (0);
CREATE TRIGGER asset_added AFTER INSERT ON assets BEGIN UPDATE assets_total SET bytes = bytes + NEW.bytes; END;
CREATE TRIGGER asset_removed AFTER DELETE ON assets BEGIN UPDATE assets_total SET bytes = bytes - OLD.bytes; END;

CREATE TABLE asset_names (
  name         TEXT PRIMARY KEY,
  asset        TEXT NOT NULL REFERENCES assets (id) ON DELETE CASCADE,
  named_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX asset_names_by_asset ON asset_names (asset);
CREATE INDEX asset_names_by_time ON asset_names (named_at, name);

CREATE TABLE node_types (
  endpoint_id  TEXT PRIMARY KEY,
  source       TEXT NOT NULL CHECK (source IN ('server', 'file')),
  server       TEXT,
  read_at      INTEGER NOT NULL,
  text         TEXT NOT NULL,
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
  words        TEXT NOT NULL,                              -- what it is found by, in small letters
  -- One that has not ended has the state of its job.
  CHECK ((ended_at IS NULL) = (status = 'IN_QUEUE'))
) STRICT;
CREATE INDEX workflow_runs_open ON workflow_runs (seq) WHERE ended_at IS NULL;
CREATE INDEX workflow_runs_of_workflow ON workflow_runs (workflow_id, seq) WHERE workflow_id IS NOT NULL;
CREATE INDEX workflow_runs_of_endpoint ON workflow_runs (endpoint_id, seq);
CREATE INDEX workflow_runs_of_sweep ON workflow_runs (sweep_id, seq) WHERE sweep_id IS NOT NULL;

CREATE TABLE workflow_run_texts (
  seq          INTEGER PRIMARY KEY REFERENCES workflow_runs (seq) ON DELETE CASCADE,
  payload      TEXT NOT NULL,
  document     TEXT
) STRICT;

CREATE TABLE events_with_runs (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  at           INTEGER NOT NULL,
  type         TEXT NOT NULL CHECK (type IN ('job', 'worker', 'endpoint', 'run')),
  endpoint_id  TEXT NOT NULL,
  seq          INTEGER REFERENCES jobs (seq) ON DELETE CASCADE,
  worker_id    TEXT,
  event        TEXT NOT NULL,
  from_state   TEXT,
  to_state     TEXT,
  attempt      INTEGER,
  reason       TEXT,
  kind         TEXT CHECK (kind IN ('endpoint', 'release', 'scale', 'crash', 'worker')),
  run_id       TEXT,
  CHECK ((type = 'run') = (run_id IS NOT NULL))
) STRICT;
INSERT INTO events_with_runs
  SELECT id, at, type, endpoint_id, seq, worker_id, event, from_state, to_state, attempt, reason, kind, NULL FROM events;
-- The numbers go on where they were, also where the newest events are gone: pages resume from them.
DELETE FROM sqlite_sequence WHERE name = 'events_with_runs';
INSERT INTO sqlite_sequence (name, seq) SELECT 'events_with_runs', seq FROM sqlite_sequence WHERE name = 'events';
DROP TABLE events;
ALTER TABLE events_with_runs RENAME TO events;
CREATE INDEX events_of_job ON events (seq) WHERE seq IS NOT NULL;
CREATE INDEX events_of_fleet ON events (at) WHERE seq IS NULL;
CREATE INDEX events_by_kind ON events (kind, id, endpoint_id, at) WHERE kind IS NOT NULL;
`,
} as const
