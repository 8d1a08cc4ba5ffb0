import { useCallback, useMemo, useRef, useState } from 'react'
import type { JobListItem } from '../../../../src-main/contract/job.ts'
import type { LazySelection } from '../../../ui/table/lazy-selection.ts'

/** What is selected: all that the list holds, read or not, or single jobs. */
export type Selected =
  | { readonly kind: 'all' }
  | { readonly kind: 'jobs'; readonly jobs: ReadonlyMap<string, JobListItem> }

const NONE: Selected = { kind: 'jobs', jobs: new Map() }

/** Whether nothing is selected. */
export function isNothing(selected: Selected): boolean {
  return selected.kind === 'jobs' && selected.jobs.size === 0
}

/** The selection of a list. @param rowAt the row of a place, where it is read; keep it the same */
export function useSelection(rowAt: (index: number) => JobListItem | undefined) {
  const [selected, setSelected] = useState<Selected>(NONE)
  const from = useRef(0)

  const clear = useCallback(() => setSelected((before) => (isNothing(before) ? before : NONE)), [])
  const selectAll = useCallback(() => setSelected({ kind: 'all' }), [])
  const select = useCallback(
    (index: number, how: 'toggle' | 'to') => {
      const [low, high] = how === 'to' ? [Math.min(from.current, index), Math.max(from.current, index)] : [index, index]
      if (how === 'toggle') from.current = index
      const rows: JobListItem[] = []
      for (let at = low; at <= high; at++) {
        const row = rowAt(at)
        if (row !== undefined) rows.push(row)
      }
      setSelected((before) => selectedAfter(before, rows, how))
    },
    [rowAt],
  )

  const selection = useMemo<LazySelection<JobListItem>>(
    () => ({
      isSelected: ({ id }) => selected.kind === 'all' || selected.jobs.has(id),
      all: selected.kind === 'all' ? 'all' : selected.jobs.size > 0 ? 'some' : 'none',
      onSelect: select,
      onSelectAll: selectAll,
      onClear: clear,
      nameOf: ({ id }) => `Select job ${id}`,
    }),
    [selected, select, selectAll, clear],
  )
  return { selected, selection, clear }
}

// From all, one that is pressed is where a new selection begins: all but one has no name that the service knows.
function selectedAfter(before: Selected, rows: readonly JobListItem[], how: 'toggle' | 'to'): Selected {
  const jobs = new Map(before.kind === 'all' ? [] : before.jobs)
  for (const row of rows) {
    if (how === 'toggle' && jobs.has(row.id)) jobs.delete(row.id)
    else jobs.set(row.id, row)
  }
  return { kind: 'jobs', jobs }
}
