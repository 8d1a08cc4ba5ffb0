/** Comparisons of versions: what they run, and what came of it. All times are wall ms. */
export const comparisons = {
  id: '2026-12-13-comparisons',
  sql: `
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

-- A row is written in the transaction that queues its job: no input is queued twice on a version.
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
`,
} as const
