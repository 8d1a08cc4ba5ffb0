/** What all tables share: columns, the order of rows, and what is selected. */
import type { ReactNode } from 'react'

/** A column of a table: its head, and how a row fills it. */
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

/** What is selected, and how that changes. */
export type GridSelection<Row> = {
  readonly isSelected: (row: Row) => boolean
  readonly all: 'all' | 'some' | 'none'
  /** `to`: everything from the row selected before up to this one. */
  readonly onSelect: (index: number, how: 'toggle' | 'to') => void
  readonly onSelectAll: () => void
  readonly onClear: () => void
  /** Name of a row's box, like `Select job x`. */
  readonly nameOf: (row: Row) => string
}

/** Height of a row, px. */
export const ROW_PX = 32

/** Height of the head, px. */
export const HEAD_PX = 32
