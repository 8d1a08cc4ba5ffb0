/** Keys with a name and a role, and who changed what. Times are wall ms. */
export const namedKeys = {
  id: '2026-12-09-named-keys',
  sql: `
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
`,
} as const
