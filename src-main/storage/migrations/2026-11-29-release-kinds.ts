/** What made a release, and of which commit its code is. Written out: a list that grows later needs a table anew. */
export const releaseKinds = {
  id: '2026-11-29-release-kinds',
  sql: `
ALTER TABLE releases ADD COLUMN kind TEXT NOT NULL DEFAULT 'deploy' CHECK (kind IN ('deploy', 'rollback', 'variables'));
ALTER TABLE releases ADD COLUMN git TEXT;              -- JSON of GitState
UPDATE releases SET kind = 'rollback' WHERE rollback_of IS NOT NULL;
`,
} as const
