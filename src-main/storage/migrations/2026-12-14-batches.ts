/**
 * Batches: many inputs that belong together. A row of `batch_lines` for each input says which job it became, or why
 * none; it outlives the job. Triggers count the jobs of a batch by their states, so that a list of batches adds nothing
 * up: GONE stands for jobs that are no longer stored, REFUSED for inputs that became none.
 */
export const batches = {
  id: '2026-12-14-batches',
  sql: `
CREATE TABLE batches (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,       -- no later batch gets the number of one that was deleted
  id           TEXT NOT NULL UNIQUE,
  endpoint_id  TEXT NOT NULL,
  name         TEXT NOT NULL,
  fingerprint  TEXT,
  total        INTEGER NOT NULL CHECK (total > 0),      -- inputs
  received     INTEGER NOT NULL DEFAULT 0,              -- all lines up to this one were taken in
  cancelled    INTEGER NOT NULL DEFAULT 0 CHECK (cancelled IN (0, 1)),
  created_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX batches_by_endpoint ON batches (endpoint_id, seq);

CREATE TABLE batch_lines (
  batch   INTEGER NOT NULL,
  line    INTEGER NOT NULL CHECK (line > 0),
  seq     INTEGER,                                      -- its job
  reason  TEXT,                                         -- why there is none
  PRIMARY KEY (batch, line),
  CHECK ((seq IS NULL) <> (reason IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX batch_lines_by_job ON batch_lines (seq) WHERE seq IS NOT NULL;
CREATE INDEX batch_lines_refused ON batch_lines (batch, reason) WHERE reason IS NOT NULL;

CREATE TABLE batch_counts (
  batch   INTEGER NOT NULL,
  status  TEXT NOT NULL,
  count   INTEGER NOT NULL,
  PRIMARY KEY (batch, status)
) STRICT, WITHOUT ROWID;

ALTER TABLE jobs ADD COLUMN batch INTEGER;
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
CREATE TRIGGER batch_input_refused AFTER INSERT ON batch_lines WHEN NEW.reason IS NOT NULL BEGIN
  INSERT INTO batch_counts (batch, status, count) VALUES (NEW.batch, 'REFUSED', 1)
    ON CONFLICT (batch, status) DO UPDATE SET count = count + 1;
END;
`,
} as const
