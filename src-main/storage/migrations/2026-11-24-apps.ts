import { RELEASE_STATES, RUNS_ON } from '../../contract/app.ts'
import { endsRelease, RELEASE_EVENTS, RELEASE_TRANSITIONS } from '../../domain/app/release-transitions.ts'

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ')
const ENDED = quoted(RELEASE_EVENTS.filter(endsRelease).map((event) => RELEASE_TRANSITIONS[event].to))

/** Apps, their environments and releases. All times are wall time. */
export const apps = {
  id: '2026-11-24-apps',
  sql: `
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
  UNIQUE (app, name)
) STRICT;

CREATE TABLE releases (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  environment_id  INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
  number          INTEGER NOT NULL CHECK (number >= 1),
  state           TEXT NOT NULL CHECK (state IN (${quoted(RELEASE_STATES)})),
  fingerprint     TEXT NOT NULL,
  artifact        TEXT,
  folder          TEXT,
  manifest        TEXT NOT NULL,                     -- JSON of contract/manifest
  runs_on         TEXT NOT NULL CHECK (runs_on IN (${quoted(RUNS_ON)})),
  rollback_of     INTEGER,                           -- a number of the same environment
  reason          TEXT,
  created_at      INTEGER NOT NULL,
  activated_at    INTEGER,
  ended_at        INTEGER,
  UNIQUE (environment_id, number),
  CHECK ((artifact IS NULL) <> (folder IS NULL)),
  CHECK ((activated_at IS NOT NULL) = (state IN ('active', 'superseded'))),
  CHECK ((ended_at IS NOT NULL) = (state IN (${ENDED})))
) STRICT;
CREATE UNIQUE INDEX releases_preparing ON releases (environment_id) WHERE state = 'preparing';
CREATE UNIQUE INDEX releases_active ON releases (environment_id) WHERE state = 'active';
-- Which artifacts some release has, without reading the rows, which hold manifests.
CREATE INDEX releases_by_artifact ON releases (artifact) WHERE artifact IS NOT NULL;
`,
} as const
