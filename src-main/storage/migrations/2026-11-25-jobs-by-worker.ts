/** Lists of the jobs of one worker. Partial, so that a job that waits costs nothing. */
export const jobsByWorker = {
  id: '2026-11-25-jobs-by-worker',
  sql: `CREATE INDEX jobs_by_worker ON jobs (worker_id, seq) WHERE worker_id IS NOT NULL;`,
} as const
