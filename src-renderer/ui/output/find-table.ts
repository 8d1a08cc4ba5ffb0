import { writeExact } from '../../../src-main/domain/json/exact-json.ts'

/** A list of flat objects, as a table shows it. */
export type FoundTable = {
  /** Where it is, like `rows`; empty: the value itself. */
  readonly path: string
  readonly columns: readonly string[]
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

// More columns than fit beside each other are read better as a tree.
const MOST_COLUMNS = 16
const LEAST_ROWS = 2
const LONG_CELL = 2000
// Enough rows to know that they are all alike.
const LOOKED_AT = 200

/** Finds the list of flat objects that a value is, or that stands in it by name. */
export function findTable(value: unknown): FoundTable | undefined {
  const own = tableOf(value, '')
  if (own !== undefined || typeof value !== 'object' || value === null || Array.isArray(value)) return own
  for (const [name, item] of Object.entries(value)) {
    const found = tableOf(item, name)
    if (found !== undefined) return found
  }
  return undefined
}

function tableOf(value: unknown, path: string): FoundTable | undefined {
  if (!Array.isArray(value) || value.length < LEAST_ROWS) return undefined
  const columns = new Set<string>()
  for (const row of value.slice(0, LOOKED_AT)) {
    if (typeof row !== 'object' || row === null || Array.isArray(row)) return undefined
    for (const [name, cell] of Object.entries(row)) {
      if (typeof cell === 'object' && cell !== null) return undefined
      if (typeof cell === 'string' && cell.length > LONG_CELL) return undefined
      columns.add(name)
    }
    if (columns.size > MOST_COLUMNS) return undefined
  }
  return columns.size === 0 ? undefined : { path, columns: [...columns], rows: value }
}

/** A cell in words. */
export function cellText(cell: unknown): string {
  if (cell === undefined || cell === null) return ''
  return typeof cell === 'object' ? writeExact(cell) : String(cell)
}
