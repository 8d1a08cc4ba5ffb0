/** Where a run stands in its sweep, for a sheet with rows and columns. Runs of before have only their label. */
export const sweepCells = {
  id: '2026-12-01-sweep-cells',
  sql: `
ALTER TABLE workflow_runs ADD COLUMN cell TEXT CHECK (cell IS NULL OR json_valid(cell));
`,
} as const
