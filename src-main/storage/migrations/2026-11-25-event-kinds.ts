/**
 * What happened to the fleet, by kind, so that a list of it need not walk over the events of jobs. Of what was recorded
 * before, nobody knows whether a worker that ended had been told to: it counts as a plain move.
 */
export const eventKinds = {
  id: '2026-11-25-event-kinds',
  sql: `
ALTER TABLE events ADD COLUMN kind TEXT CHECK (kind IN ('endpoint', 'release', 'scale', 'crash', 'worker'));
UPDATE events SET kind = CASE
    WHEN type = 'endpoint' THEN 'endpoint'
    WHEN event IN ('initializing', 'stopping') THEN 'scale'
    WHEN event = 'unhealthy' THEN 'crash'
    ELSE 'worker'
  END
WHERE seq IS NULL;
-- Also holds what a list filters by, so that rows of other endpoints and times are passed over inside the index.
CREATE INDEX events_by_kind ON events (kind, id, endpoint_id, at) WHERE kind IS NOT NULL;
`,
} as const
