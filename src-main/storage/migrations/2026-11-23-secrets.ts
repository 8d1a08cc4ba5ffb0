/** Secrets of users, sealed with the key in the file secrets.key. All times are wall time. */
export const secrets = {
  id: '2026-11-23-secrets',
  sql: `
CREATE TABLE secrets (
  scope       TEXT NOT NULL,     -- what it is for, like 'registry'
  name        TEXT NOT NULL,
  nonce       BLOB NOT NULL CHECK (length(nonce) = 12),
  sealed      BLOB NOT NULL,     -- AES-256-GCM, its tag at the end; scope and name are authenticated with it
  updated_at  INTEGER NOT NULL,
  PRIMARY KEY (scope, name)
) STRICT, WITHOUT ROWID;
`,
} as const
