/** Which text of a workflow its small picture shows, by version and draft. Pictures that are there are taken for those of today. */
export const workflowThumbnails = {
  id: '2026-12-04-workflow-thumbnails',
  sql: `
ALTER TABLE workflows ADD COLUMN thumbnail_version INTEGER;
ALTER TABLE workflows ADD COLUMN thumbnail_draft INTEGER;
UPDATE workflows SET thumbnail_version = version, thumbnail_draft = draft WHERE thumbnail IS NOT NULL;
`,
} as const
