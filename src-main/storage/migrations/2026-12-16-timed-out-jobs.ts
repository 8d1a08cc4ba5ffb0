/** Finds the few FAILED jobs that ran longer than their executionTimeout, which lists show among those that timed out. */
export const timedOutJobs = {
  id: '2026-12-16-timed-out-jobs',
  sql: `
CREATE INDEX jobs_over_time_limit ON jobs (endpoint_id, archived, seq)
  WHERE status = 'FAILED' AND error = 'executionTimeout exceeded';
`,
} as const
