import type { Database, Statement } from 'better-sqlite3'

const CALLS = ['run', 'get', 'all'] as const

/**
 * Lets SQLite compile each statement when it is first used: the stores have more than 300, which take 20 ms together,
 * and most services use a few dozen. `prepare` then gives statements with `run`, `get`, `all` and `pluck` only.
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
      // From now on a call costs what it does on the compiled statement.
      const compiled = compile()
      for (const name of CALLS) statement[name] = compiled[name].bind(compiled) as never
      return statement[call](...values) as never
    }
  }
  return statement
}
