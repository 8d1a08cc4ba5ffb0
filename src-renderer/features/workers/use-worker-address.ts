import { useCallback, useMemo } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { stateIn, type WorkerFilter } from './filter-workers.ts'

/** The parts of a worker's drawer. */
export const DRAWER_PARTS = ['about', 'log', 'shell'] as const

/** A part of a worker's drawer. */
export type DrawerPart = (typeof DRAWER_PARTS)[number]

/** What of the workers is shown: it stands in the address. */
export type WorkerAddress = {
  readonly filter: WorkerFilter
  /** The worker whose drawer is open. */
  readonly opened: string | undefined
  readonly part: DrawerPart
  /** The address with these changes; `undefined` takes a parameter away. */
  readonly with: (changes: Readonly<Record<string, string | undefined>>) => string
  readonly change: (changes: Readonly<Record<string, string | undefined>>) => void
}

/** Reads it. @param endpointId whose page this is part of; undefined: the page of all workers */
export function useWorkerAddress(endpointId: string | undefined): WorkerAddress {
  const [path, go] = useLocation()
  const [search] = useSearchParams()
  const text = search.toString()
  const withChanges = useCallback(
    (changes: Readonly<Record<string, string | undefined>>) => {
      const next = new URLSearchParams(text)
      for (const [name, value] of Object.entries(changes))
        if (value === undefined) next.delete(name)
        else next.set(name, value)
      return next.size === 0 ? path : `${path}?${next}`
    },
    [path, text],
  )
  return useMemo(() => {
    const params = new URLSearchParams(text)
    return {
      filter: { endpointId: endpointId ?? params.get('endpoint') ?? undefined, state: stateIn(params.get('state')) },
      opened: params.get('worker') ?? undefined,
      part: DRAWER_PARTS.find((one) => one === params.get('part')) ?? 'about',
      with: withChanges,
      change: (changes) => go(withChanges(changes)),
    }
  }, [endpointId, text, withChanges, go])
}
