/** Machines whose engines run workers. Times are wall ms. */
export const machines = {
  id: '2026-12-10-machines',
  sql: `
CREATE TABLE machines (
  name      TEXT PRIMARY KEY,
  id        TEXT NOT NULL UNIQUE,     -- names what this service makes there
  way       TEXT NOT NULL,            -- JSON
  swarm     INTEGER NOT NULL CHECK (swarm IN (0, 1)),
  added_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`,
} as const
