/** Downloads of models, which go on after a restart. */
export const modelDownloads = {
  id: '2026-11-30-model-downloads',
  sql: `
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
-- A file is written by one download at a time.
CREATE UNIQUE INDEX model_downloads_place ON model_downloads (folder, directory, name)
  WHERE state IN ('waiting', 'running');
`,
} as const
