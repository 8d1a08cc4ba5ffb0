import { useEffect, useMemo, useState } from 'react'
import { useStore } from 'zustand'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { createRunList, type RunFilter, type RunList, type RunListState } from './run-list.ts'

/** A list of runs that is kept up to date while it is shown. */
export function useRunList({ workflow, endpoint, sweep, q }: RunFilter): RunListState & { readonly list: RunList } {
  const { client, platform, store } = useApp()
  const list = useMemo(
    () => createRunList({ client, platform, filter: { workflow, endpoint, sweep, q } }),
    [client, platform, workflow, endpoint, sweep, q],
  )
  useEffect(() => {
    void list.start()
    const end = store.subscribe(({ heard }, { heard: before }) => {
      if (heard !== before) list.hear(heard.events)
    })
    return () => {
      end()
      list.stop()
    }
  }, [list, store])

  // The stream was opened anew: something may have been missed.
  const begun = useAppState(({ heard }) => heard.begun)
  useEffect(() => {
    if (begun > 1) void list.start()
  }, [list, begun])

  // Another filter shows what was there until it knows better, so that nothing jumps.
  const state = useStore(list)
  const [before, setBefore] = useState(state)
  useEffect(() => {
    if (state.phase !== 'loading') setBefore(state)
  }, [state])
  return { ...(state.phase === 'loading' ? before : state), list }
}
