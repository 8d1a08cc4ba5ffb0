import { useEffect, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { useApp } from '../store/app-context.ts'
import type { Command } from '../store/commands-slice.ts'
import { CommandsHere } from './CommandsHere.tsx'

/** The page above: a job's is the list of jobs. Undefined: there is none, as for a list. */
export type WayUpProps = { readonly parent: { readonly name: string; readonly to?: string } | undefined }

const NONE: readonly Command[] = []

/** Offers the way to the page above, as it was left, and keeps how this one is left. */
export function WayUp({ parent }: WayUpProps) {
  const { store } = useApp()
  const [path, go] = useLocation()
  const search = useSearch()
  const { name, to } = parent ?? {}
  useEffect(() => store.getState().setSearch(path, search), [store, path, search])
  const commands = useMemo(() => {
    if (to === undefined) return NONE
    const run = () => go(`${to}${store.getState().searches[to] ?? ''}`)
    return [{ id: 'go-up', group: 'Go to', label: `Back to ${name}`, keys: 'Escape', run }]
  }, [store, go, name, to])
  return <CommandsHere commands={commands} />
}
