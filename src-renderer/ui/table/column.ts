import type { ReactNode } from 'react'

export type Column<Row> = {
  readonly id: string
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  readonly width: number
  /** Share of the remaining width; undefined means 0. */
  readonly grow?: number
  readonly align?: 'right'
  /** Sort key; without it the column is not sortable. Rows without a value come last. */
  readonly sortBy?: (row: Row) => string | number | undefined
}

export type TableSort = { readonly column: string; readonly descending: boolean }

export type GridSelection<Row> = {
  readonly isSelected: (row: Row) => boolean
  readonly all: 'all' | 'some' | 'none'
  /** `to`: selects everything from the last selected row to this one. */
  readonly onSelect: (index: number, how: 'toggle' | 'to') => void
  readonly onSelectAll: () => void
  readonly onClear: () => void
  readonly nameOf: (row: Row) => string
}

export const ROW_PX = 32

export const HEAD_PX = 32
