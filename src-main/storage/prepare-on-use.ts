import type { Database, Statement } from 'better-sqlite3'

const CALLS = ['run', 'get', 'all', 'iterate'] as const

/**
 * Makes SQLite compile each statement on its first use. The stores have more than 300, which take 20 ms to compile, and
 * most services use a few dozen. `prepare` then returns statements with only `run`, `get`, `all`, `iterate` and `pluck`.
 */
export function prepareOnUse(db: Database): Database {
  const prepare = db.prepare.bind(db)
  db.prepare = ((sql: string) => compiledOnUse(() => prepare(sql))) as Database['prepare']
  return db
}

function compiledOnUse(compile: () => Statement): Statement {
  const statement = { pluck: () => compiledOnUse(() => compile().pluck()) } as Statement
  for (const call of CALLS) {
    statement[call] = (...values: unknown[]) => {
      // Later calls go directly to the compiled statement.
      const compiled = compile()
      for (const name of CALLS) statement[name] = compiled[name].bind(compiled) as never
      return statement[call](...values) as never
    }
  }
  return statement
}
