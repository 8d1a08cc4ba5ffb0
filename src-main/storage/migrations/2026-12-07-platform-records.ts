/**
 * What the platform's management API has beside endpoints, and the changes that replaced the workers of endpoints. Of
 * endpoints of before there is the revision that they are at. Times are wall ms.
 */
export const platformRecords = {
  id: '2026-12-07-platform-records',
  sql: `
CREATE TABLE platform_templates (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL UNIQUE,
  settings    TEXT NOT NULL CHECK (json_valid(settings)),   -- JSON of contract/platform template
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

CREATE TABLE endpoint_revisions (
  endpoint_id  TEXT NOT NULL,
  revision     INTEGER NOT NULL,
  at           INTEGER NOT NULL,
  changes      TEXT NOT NULL CHECK (json_valid(changes)),    -- values of variables are hidden
  PRIMARY KEY (endpoint_id, revision)
) STRICT, WITHOUT ROWID;
INSERT INTO endpoint_revisions (endpoint_id, revision, at, changes)
SELECT id, revision, updated_at, '[]' FROM endpoints;
`,
} as const
