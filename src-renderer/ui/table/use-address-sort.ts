import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'wouter'
import type { TableSort } from './column.ts'

/** The order of a table as a part of the address: `?sort=queue`, downwards `?sort=-queue`. */
export function useAddressSort(): [sort: TableSort | undefined, setSort: (sort: TableSort | undefined) => void] {
  const [search, setSearch] = useSearchParams()
  const text = search.get('sort')
  const sort = useMemo(
    () => (text ? { column: text.replace(/^-/, ''), descending: text.startsWith('-') } : undefined),
    [text],
  )
  const setSort = useCallback(
    (wanted: TableSort | undefined) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before)
          if (wanted === undefined) next.delete('sort')
          else next.set('sort', `${wanted.descending ? '-' : ''}${wanted.column}`)
          return next
        },
        { replace: true },
      ),
    [setSearch],
  )
  return [sort, setSort]
}
