/** Folders with apps that were opened in the pages. */
export const projects = {
  id: '2026-11-25-projects',
  sql: `
CREATE TABLE projects (
  id         TEXT PRIMARY KEY,
  folder     TEXT NOT NULL UNIQUE,     -- its real path, so that it is one project however it was reached
  opened_at  INTEGER NOT NULL          -- wall ms
) STRICT, WITHOUT ROWID;
`,
} as const
