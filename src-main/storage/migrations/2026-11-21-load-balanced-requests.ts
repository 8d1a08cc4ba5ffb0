/** The log of requests to load-balanced endpoints. All times are wall time, all spans ms. */
export const loadBalancedRequests = {
  id: '2026-11-21-load-balanced-requests',
  sql: `
CREATE TABLE requests (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  at             INTEGER NOT NULL,
  endpoint_id    TEXT NOT NULL,
  method         TEXT NOT NULL,
  path           TEXT NOT NULL,                  -- without the query
  status         INTEGER CHECK (status BETWEEN 100 AND 599),  -- NULL: the client left before there was one
  worker_id      TEXT,
  waited_ms      INTEGER NOT NULL,
  first_byte_ms  INTEGER,
  duration_ms    INTEGER NOT NULL,
  bytes_in       INTEGER NOT NULL,
  bytes_out      INTEGER NOT NULL,
  error          TEXT
) STRICT;
CREATE INDEX requests_of_endpoint ON requests (endpoint_id, id);
CREATE INDEX requests_by_time ON requests (at);
`,
} as const
