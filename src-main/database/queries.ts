import type { Database } from 'better-sqlite3'
import { present } from '../lib/json/plain.ts'

/**
 * Makes the queries of a store: `query<[id: string], App>('SELECT ...').one()` is a function of the id. Values are
 * positional, or one object of named ones. SQLite compiles a query on its first call, as most services use a few dozen
 * of more than 300.
 */
export function queriesOf(db: Database) {
  return <Values extends unknown[], Row = never>(written: string) => {
    const sql = withoutRecompiles(written)
    const onUse = () => onFirstUse(() => db.prepare<unknown[], Row>(sql))
    const pluckedOnUse = () => onFirstUse(() => db.prepare<unknown[], Row>(sql).pluck())
    return {
      one<Result = Row>(of?: (row: Row) => Result): (...values: Values) => Result | undefined {
        const statement = onUse()
        if (of === undefined) return (...values) => statement().get(...values) as Result | undefined
        return (...values) => {
          const row = statement().get(...values)
          return row === undefined ? undefined : of(row)
        }
      },
      all<Result = Row>(of?: (row: Row) => Result): (...values: Values) => readonly Result[] {
        const statement = onUse()
        if (of === undefined) return (...values) => statement().all(...values) as unknown as readonly Result[]
        return (...values) =>
          statement()
            .all(...values)
            .map((row) => of(row))
      },
      each(): (...values: Values) => IterableIterator<Row> {
        const statement = onUse()
        return (...values) => statement().iterate(...values)
      },
      /** The first column of the first row; `otherwise` without a row, or for null. */
      value<Otherwise = undefined>(otherwise?: Otherwise): (...values: Values) => NonNullable<Row> | Otherwise {
        const statement = pluckedOnUse()
        return (...values) => statement().get(...values) ?? (otherwise as Otherwise)
      },
      values(): (...values: Values) => readonly Row[] {
        const statement = pluckedOnUse()
        return (...values) => statement().all(...values)
      },
      run(): (...values: Values) => void {
        const statement = onUse()
        return (...values) => void statement().run(...values)
      },
      changes(): (...values: Values) => number {
        const statement = onUse()
        return (...values) => statement().run(...values).changes
      },
      changed(): (...values: Values) => boolean {
        const statement = onUse()
        return (...values) => statement().run(...values).changes > 0
      },
      insert(): (...values: Values) => number {
        const statement = onUse()
        return (...values) => Number(statement().run(...values).lastInsertRowid)
      },
    }
  }
}

/**
 * SQLite recompiles a query at each call if a bare parameter is its limit or offset, or equals a column of sorted rows.
 * A unary plus makes it an expression.
 */
export const withoutRecompiles = (sql: string): string => sql.replace(/(=|\bLIMIT|\bOFFSET)\s*(?=[?@])/g, '$1 +')

function onFirstUse<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => (made ??= make())
}

/** A row that holds a value: fields that may be missing are null in it. */
export type RowOf<Value> = { readonly [Name in keyof Value]-?: Exclude<Value[Name], undefined> | null }

export const withoutNulls = <Value>(row: RowOf<Value>): Value => present(row) as Value
