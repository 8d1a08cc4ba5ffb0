/** What is selected, and how that changes. */
export type LazySelection<Row> = {
  readonly isSelected: (row: Row) => boolean
  readonly all: 'all' | 'some' | 'none'
  /** `to`: everything from the row selected before up to this one. */
  readonly onSelect: (index: number, how: 'toggle' | 'to') => void
  readonly onSelectAll: () => void
  readonly onClear: () => void
  /** Name of a row's box, like `Select job x`. */
  readonly nameOf: (row: Row) => string
}
