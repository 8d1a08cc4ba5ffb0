/** Of which version the classes of nodes of an endpoint are. Those that are there were read without asking. */
export const nodeTypesVersion = {
  id: '2026-12-05-node-types-version',
  sql: `
ALTER TABLE node_types ADD COLUMN version TEXT;
`,
} as const
