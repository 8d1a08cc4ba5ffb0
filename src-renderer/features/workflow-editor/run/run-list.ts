/**
 * Runs, newest first, read page by page; `live/live-queries.ts` refreshes the newest page. While the user reads, new
 * runs wait to be requested; otherwise they appear at once.
 */
import { keepPreviousData, type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { ResponseOf } from '../../../../src-main/app/client/calls.ts'
import type { RunView } from '../../../../src-main/contract/workflows.ts'
import type { Caller } from '../../../api-client/client.ts'
import type { ReadRuns } from '../../../live/live-queries.ts'
import { useApp } from '../../../store/app-context.ts'

export type RunFilter = {
  readonly workflow?: string | undefined
  readonly endpoint?: string | undefined
  readonly sweep?: string | undefined
  readonly q?: string | undefined
}

const PIECE = 60
const NO_RUNS: readonly RunView[] = []
const NONE: ReadonlySet<string> = new Set()

/** Refetching reads the newest page and every older run that has changed. */
const runListQuery = (client: Caller, filter: RunFilter) =>
  queryOptions({
    queryKey: ['run-list', filter],
    async queryFn({ client: queries, queryKey, signal }): Promise<ReadRuns> {
      const known = () => queries.getQueryData<ReadRuns>(queryKey)
      const touched = known()?.touched ?? NONE
      const newest = await client.call('runList', { query: { ...filter, limit: PIECE }, signal })
      const older = touched.difference(new Set(newest.runs.map(({ id }) => id)))
      const changed: RunView[] = []
      for (const runId of older) {
        const run = await client.call('runRead', { path: { runId }, signal }).catch(() => undefined)
        if (run !== undefined) changed.push(run)
      }
      return withNewest(known(), newest, { changed, touched })
    },
    structuralSharing: false,
    // A list that is not shown gets no updates, so it starts again.
    gcTime: 0,
  })

function withNewest(
  before: ReadRuns | undefined,
  { runs: newest, more }: ResponseOf<'runList'>,
  read: { readonly changed: readonly RunView[]; readonly touched: ReadonlySet<string> },
): ReadRuns {
  const top = before?.runs[0]
  const known = new Set(before?.runs.map(({ id }) => id))
  // If nothing of the piece is known and older ones follow it, some may be missing between the two.
  if (before === undefined || top === undefined || (more && !newest.some(({ id }) => known.has(id))))
    return { runs: newest, more, touched: NONE }
  const latest = new Map([...read.changed, ...newest].map((run) => [run.id, run]))
  // A run that was dropped here, or that now matches the filter, is not new.
  const added = newest.filter(({ id, createdAt }) => !known.has(id) && createdAt >= top.createdAt)
  return {
    runs: [...added, ...before.runs.map((run) => latest.get(run.id) ?? run)],
    more: before.more,
    // Runs that changed during the fetch are loaded again.
    touched: before.touched.difference(read.touched),
  }
}

async function readOlder(client: Caller, queries: QueryClient, filter: RunFilter): Promise<void> {
  const { queryKey } = runListQuery(client, filter)
  const before = queries.getQueryData(queryKey)?.runs.at(-1)?.id
  const piece = await client.call('runList', { query: { ...filter, before, limit: PIECE } })
  queries.setQueryData(queryKey, (list) => {
    if (list?.runs.at(-1)?.id !== before || list === undefined) return list
    const known = new Set(list.runs.map(({ id }) => id))
    return { ...list, runs: [...list.runs, ...piece.runs.filter(({ id }) => !known.has(id))], more: piece.more }
  })
}

export function useRunList({ workflow, endpoint, sweep, q }: RunFilter) {
  const { client } = useApp()
  const queries = useQueryClient()
  const options = useMemo(
    () => runListQuery(client, { workflow, endpoint, sweep, q }),
    [client, workflow, endpoint, sweep, q],
  )
  // A new filter shows the old rows until it has loaded, so that nothing jumps.
  const { data, error, isPlaceholderData } = useQuery({ ...options, placeholderData: keepPreviousData })
  const runs = data?.runs ?? NO_RUNS
  const [reads, setReads] = useState(false)
  const [held, setHeld] = useState<Held>()
  if (reads && !isPlaceholderData && held?.of !== options) setHeld({ of: options, top: runs[0]?.id })
  const at = reads && held?.of === options ? Math.max(0, runs.map(({ id }) => id).indexOf(held.top ?? '')) : 0

  const [olderError, setOlderError] = useState<Error>()
  const list = useMemo(() => {
    let isReadingOlder = false
    return {
      start: () => queries.refetchQueries({ queryKey: options.queryKey, exact: true }),
      /** Loads older ones; does nothing while loading or at the end. */
      async readMore() {
        if (isReadingOlder || queries.getQueryData(options.queryKey)?.more !== true) return
        isReadingOlder = true
        const problem = await readOlder(client, queries, { workflow, endpoint, sweep, q }).then(
          () => undefined,
          (error: Error) => error,
        )
        isReadingOlder = false
        setOlderError(problem)
      },
      setReading(next: boolean) {
        setReads(next)
        if (!next) setHeld(undefined)
      },
      showFresh: () => setHeld(undefined),
    }
  }, [client, queries, options, workflow, endpoint, sweep, q])
  const phase: 'loading' | 'shown' | 'failed' = data !== undefined ? 'shown' : error === null ? 'loading' : 'failed'
  return {
    phase,
    error: error ?? olderError,
    runs: useMemo(() => runs.slice(at), [runs, at]),
    fresh: useMemo(() => runs.slice(0, at), [runs, at]),
    more: data?.more ?? false,
    list,
  }
}

type Held = { readonly of: object; readonly top: string | undefined }
