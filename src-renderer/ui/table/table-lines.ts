/** Rows of a table with the names of their groups between them. */

/** What stands in one line: a row, or the name of a group with the number of its rows. */
export type Line<SortedRow> = { readonly row: SortedRow } | { readonly group: string; readonly count: number }

/** The lines of a table, group by group: groups in the order of `rows`, the rows of each in the order of `sorted`. */
export function linesOf<Row, SortedRow extends { readonly original: Row }>(
  rows: readonly Row[],
  sorted: readonly SortedRow[],
  groupOf: ((row: Row) => string) | undefined,
): readonly Line<SortedRow>[] {
  if (groupOf === undefined) return sorted.map((row) => ({ row }))
  const members = Map.groupBy(sorted, ({ original }) => groupOf(original))
  return [...new Set(rows.map(groupOf))].flatMap((group) => {
    const own = members.get(group) ?? []
    return [{ group, count: own.length }, ...own.map((row) => ({ row }))]
  })
}

/** What tells a line from all others of its table. */
export function keyOf(line: Line<{ readonly id: string }> | undefined): string | undefined {
  if (line === undefined) return undefined
  return 'row' in line ? line.row.id : `group ${line.group}`
}
