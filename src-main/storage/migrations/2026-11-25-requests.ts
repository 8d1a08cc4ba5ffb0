/** Saved requests and load tests. All times are wall ms. */
export const requestsByHand = {
  id: '2026-11-25-requests',
  sql: `
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
`,
} as const
