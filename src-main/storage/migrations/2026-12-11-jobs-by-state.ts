/**
 * The state comes before the endpoint, so that lists and counts over all endpoints find those with jobs of a state
 * without looking at the others. All other queries name both.
 */
export const jobsByState = {
  id: '2026-12-11-jobs-by-state',
  sql: `
DROP INDEX jobs_by_state;
CREATE INDEX jobs_by_state ON jobs (status, endpoint_id, low_priority, seq) WHERE archived = 0;
DROP INDEX archived_jobs_by_state;
CREATE INDEX archived_jobs_by_state ON jobs (status, endpoint_id, seq) WHERE archived = 1;
`,
} as const
