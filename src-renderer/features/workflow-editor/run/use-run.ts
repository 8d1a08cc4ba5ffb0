import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { runsHeard } from './run-events.ts'
import { runQuery } from './run-queries.ts'

/** A run, kept up to date. */
export function useRun(runId: string) {
  const { client, store } = useApp()
  const queries = useQueryClient()
  const begun = useAppState(({ heard }) => heard.begun)
  useEffect(
    () =>
      store.subscribe(({ heard }, { heard: before }) => {
        if (heard !== before && runsHeard(heard.events).changed.has(runId))
          void queries.invalidateQueries({ queryKey: ['run', runId] })
      }),
    [store, queries, runId],
  )
  useEffect(() => {
    if (begun > 1) void queries.invalidateQueries({ queryKey: ['run', runId] })
  }, [queries, runId, begun])
  return useQuery(runQuery(client, runId))
}
