/**
 * The place of a waiting job that somebody moved. NULL: its place is its seq. Moved ones have an index of their own, so that
 * the others cost a submit and a claim nothing more.
 */
export const jobOrder = {
  id: '2026-12-03-job-order',
  sql: `
ALTER TABLE jobs ADD COLUMN place INTEGER;
CREATE INDEX moved_jobs ON jobs (endpoint_id, status, low_priority, place) WHERE place IS NOT NULL AND archived = 0;
`,
} as const
