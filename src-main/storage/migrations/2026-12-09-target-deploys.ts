/** Deploys to targets that worked, so that there is a way back. Times are wall ms. */
export const targetDeploys = {
  id: '2026-12-09-target-deploys',
  sql: `
CREATE TABLE target_deploys (
  target       TEXT NOT NULL,
  app          TEXT NOT NULL,
  environment  TEXT NOT NULL,
  number       INTEGER NOT NULL CHECK (number >= 1),
  build        TEXT NOT NULL,         -- its id on the target
  artifact     TEXT NOT NULL,
  manifest     TEXT NOT NULL,         -- JSON
  rollback_of  INTEGER,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (target, app, environment, number)
) STRICT, WITHOUT ROWID;
`,
} as const
