import type { ReactNode } from 'react'

/** A column. */
export type Column<Row> = {
  readonly id: string
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** Least width, px. */
  readonly width: number
  /** Its part of the width that is left; 0 without it. */
  readonly grow?: number
  readonly align?: 'right'
  /** What the column is sorted by; without it it cannot be. Rows without a value stand last. */
  readonly sortBy?: (row: Row) => string | number | undefined
}

/** The order of the rows: by one column. */
export type TableSort = { readonly column: string; readonly descending: boolean }
