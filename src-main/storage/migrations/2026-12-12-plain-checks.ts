const anyOf = (column: string, words: readonly string[]) => words.map((word) => `${column} = '${word}'`).join(' OR ')
const oneOf = (column: string, words: readonly string[]) =>
  `${column} IN (${words.map((word) => `'${word}'`).join(', ')})`

const CHECKED = [
  ['jobs', 'status', ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT']],
  ['jobs', 'status', ['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT']],
  ['events', 'type', ['job', 'worker', 'endpoint', 'run']],
  ['events', 'kind', ['endpoint', 'release', 'scale', 'crash', 'worker']],
] as const

/**
 * The checks of jobs and events say the same without IN. For a list of three words and more SQLite makes a table, anew
 * for each row that is written, which took a third of the time of a submit. As the data stay as they are, only the text
 * of the tables is rewritten: https://sqlite.org/lang_altertable.html, 7.
 */
export const plainChecks = {
  id: '2026-12-12-plain-checks',
  rewritesSchema: true,
  sql: `
PRAGMA writable_schema = ON;
${CHECKED.map(([table, column, words]) => {
  const [before, after] = [oneOf(column, words), anyOf(column, words)].map((text) => text.replaceAll("'", "''"))
  return `UPDATE sqlite_schema SET sql = replace(sql, '(${before})', '(${after})') WHERE type = 'table' AND name = '${table}';`
}).join('\n')}
PRAGMA writable_schema = RESET;
`,
} as const
