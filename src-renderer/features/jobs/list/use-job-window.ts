import { useEffect, useMemo, useState } from 'react'
import { useStore } from 'zustand'
import { useApp, useAppState } from '../../../store/app-context.ts'
import type { JobListFilter } from './job-list-filter.ts'
import { createJobWindow, type JobWindow } from './job-window.ts'

/**
 * The list of jobs of a filter, kept up to date while it is shown. Until a new filter's list has come it is that of the
 * filter before, so that nothing flickers while somebody types. Keep the filter the same where it is.
 */
export function useJobWindow(filter: JobListFilter): JobWindow {
  const { client, platform, store } = useApp()
  const begun = useAppState(({ heard }) => heard.begun)
  const list = useMemo(() => createJobWindow({ client, platform, filter }), [client, platform, filter])

  useEffect(() => {
    list.start()
    const stop = store.subscribe(({ heard }, { heard: before }) => {
      if (heard !== before) list.hear(heard.events)
    })
    return () => {
      stop()
      list.stop()
    }
  }, [list, store])

  // The first list needs no second look; each stream that is opened later may have missed something.
  useEffect(() => {
    if (begun > 1) list.lookAgain()
  }, [list, begun])

  const phase = useStore(list, (state) => state.phase)
  const [shown, setShown] = useState(list)
  if (phase !== 'loading' && shown !== list) setShown(list)
  return shown
}
