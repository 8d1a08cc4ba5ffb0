import { useCallback } from 'react'
import { useSearchParams } from 'wouter'

/** Sets parts of the address; one without a value goes. `replace`: no entry of the history is added, as usual. */
export type SetSearchParts = (
  parts: Readonly<Record<string, string | undefined>>,
  options?: { readonly replace?: boolean },
) => void

/** What the address says behind its `?`, and what changes parts of it while the others stay. */
export function useSearchParts(): readonly [URLSearchParams, SetSearchParts] {
  const [search, setSearch] = useSearchParams()
  const set = useCallback<SetSearchParts>(
    (parts, { replace = true } = {}) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before)
          for (const [name, value] of Object.entries(parts)) {
            if (value === undefined || value === '') next.delete(name)
            else next.set(name, value)
          }
          return next
        },
        { replace },
      ),
    [setSearch],
  )
  return [search, set]
}
