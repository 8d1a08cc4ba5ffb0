/** Versions of published graphs, and the jobs that ran them. All times are wall ms. */
export const publishedGraphs = {
  id: '2026-11-27-published-graphs',
  sql: `
CREATE TABLE graph_versions (
  endpoint_id  TEXT NOT NULL,
  version      INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  workflow_id  TEXT,
  parameters   TEXT NOT NULL CHECK (json_valid(parameters)),
  results      TEXT NOT NULL CHECK (json_valid(results)),
  payload      TEXT NOT NULL,
  document     TEXT,
  UNIQUE (endpoint_id, version)
) STRICT;

CREATE TABLE graph_jobs (
  seq          INTEGER PRIMARY KEY REFERENCES jobs (seq) ON DELETE CASCADE,
  endpoint_id  TEXT NOT NULL,
  version      INTEGER NOT NULL
) STRICT;
CREATE INDEX graph_jobs_of_endpoint ON graph_jobs (endpoint_id, seq);
`,
} as const
