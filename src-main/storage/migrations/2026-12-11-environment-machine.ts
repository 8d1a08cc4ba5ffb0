/** On which machine the workers of an environment run. */
export const environmentMachine = {
  id: '2026-12-11-environment-machine',
  sql: `
ALTER TABLE environments ADD COLUMN machine TEXT;   -- NULL: that of the service
`,
} as const
