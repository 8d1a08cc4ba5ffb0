/**
 * Jobs have a priority by number. Those with another one than 0 stand in the index of moved jobs, so that all others cost a
 * submit and a claim nothing more; `lane`, which is low_priority and 2 more for those that have a place, keeps them apart in the
 * index by state, so that the next of either kind is its first row, however many of the other kind wait. It is no
 * generated column, as with one the index would not hold all that a count needs. Places become wider, so that there is room between two of them.
 */
export const priority = {
  id: '2026-12-13-priority',
  sql: `
UPDATE jobs SET place = place * 65536 WHERE place IS NOT NULL AND archived = 0;
DROP INDEX moved_jobs;
DROP INDEX jobs_by_state;
ALTER TABLE jobs ADD COLUMN priority INTEGER NOT NULL DEFAULT 0 CHECK (priority = 0 OR place IS NOT NULL);
ALTER TABLE jobs ADD COLUMN lane INTEGER NOT NULL DEFAULT 0 CHECK (lane BETWEEN 0 AND 3);
UPDATE jobs SET lane = low_priority + 2 * (place IS NOT NULL) WHERE low_priority = 1 OR place IS NOT NULL;
CREATE INDEX jobs_by_state ON jobs (status, endpoint_id, lane, seq) WHERE archived = 0;
CREATE INDEX moved_jobs ON jobs (endpoint_id, status, low_priority, priority DESC, place)
  WHERE place IS NOT NULL AND archived = 0;
`,
} as const
