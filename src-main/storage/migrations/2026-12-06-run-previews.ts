/** What nodes of a run show and nobody saved, beside its results. Runs of before have none. */
export const runPreviews = {
  id: '2026-12-06-run-previews',
  sql: `
ALTER TABLE workflow_runs ADD COLUMN previews TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(previews));
`,
} as const
