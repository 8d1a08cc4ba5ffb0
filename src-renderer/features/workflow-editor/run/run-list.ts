/**
 * Runs, the newest first, read piece by piece as somebody looks at them. The query cache holds what was read, and
 * `live/live-queries.ts` says when its newest piece is read again; known runs change in place. Runs that have come
 * since wait until they are asked for while somebody reads, and are shown at once otherwise.
 */
import { keepPreviousData, type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { ResponseOf } from '../../../../src-main/client/calls.ts'
import type { RunView } from '../../../../src-main/contract/workflows.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import type { ReadRuns } from '../../../live/live-queries.ts'
import { useApp } from '../../../store/app-context.ts'

/** Which runs a list holds; what is not given lets all through. */
export type RunFilter = {
  readonly workflow?: string | undefined
  readonly endpoint?: string | undefined
  readonly sweep?: string | undefined
  /** Words of the title, the label or the prompts. */
  readonly q?: string | undefined
}

/** A list of runs, as far as it was read. */
export type RunListState = {
  readonly phase: 'loading' | 'shown' | 'failed'
  readonly error: Error | undefined
  readonly runs: readonly RunView[]
  /** Whether there are older ones than those. */
  readonly more: boolean
  /** Newer ones that wait to be shown. */
  readonly fresh: readonly RunView[]
}

/** What is done with a list of runs; it stays the same as long as its filter does. */
export type RunList = {
  /** Reads the newest again. */
  readonly start: () => Promise<void>
  /** Reads older ones; nothing happens while that is under way or there are none. */
  readonly readMore: () => Promise<void>
  /** Tells whether somebody reads, so that nothing may move. */
  readonly setReading: (reads: boolean) => void
  readonly showFresh: () => void
}

type Piece = ResponseOf<'runList'>

// Some screens full.
const PIECE = 60
const NO_RUNS: readonly RunView[] = []
const NONE: ReadonlySet<string> = new Set()

/** The runs of a filter. Reading it again reads its newest piece, and each older run that has changed. */
const runListQuery = (client: Pick<ApiClient, 'call'>, filter: RunFilter) =>
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
    // A list that nobody shows is told nothing, and begins anew.
    gcTime: 0,
  })

/** A list with its newest piece read again: known runs are changed in place, others are new. */
function withNewest(
  before: ReadRuns | undefined,
  { runs: newest, more }: Piece,
  read: { readonly changed: readonly RunView[]; readonly touched: ReadonlySet<string> },
): ReadRuns {
  const top = before?.runs[0]
  const known = new Set(before?.runs.map(({ id }) => id))
  // Where nothing is known of the piece and older ones follow it, some may be left out between the two.
  if (before === undefined || top === undefined || (more && !newest.some(({ id }) => known.has(id))))
    return { runs: newest, more, touched: NONE }
  const latest = new Map([...read.changed, ...newest].map((run) => [run.id, run]))
  // One that was dropped here, or that has come into the filter since, is not new.
  const added = newest.filter(({ id, createdAt }) => !known.has(id) && createdAt >= top.createdAt)
  return {
    runs: [...added, ...before.runs.map((run) => latest.get(run.id) ?? run)],
    more: before.more,
    // What has changed while it was read is read again.
    touched: before.touched.difference(read.touched),
  }
}

async function readOlder(client: Pick<ApiClient, 'call'>, queries: QueryClient, filter: RunFilter): Promise<void> {
  const { queryKey } = runListQuery(client, filter)
  const before = queries.getQueryData(queryKey)?.runs.at(-1)?.id
  const piece = await client.call('runList', { query: { ...filter, before, limit: PIECE } })
  queries.setQueryData(queryKey, (list) => {
    if (list?.runs.at(-1)?.id !== before || list === undefined) return list
    const known = new Set(list.runs.map(({ id }) => id))
    return { ...list, runs: [...list.runs, ...piece.runs.filter(({ id }) => !known.has(id))], more: piece.more }
  })
}

/** A list of runs that is kept up to date while it is shown. */
export function useRunList({ workflow, endpoint, sweep, q }: RunFilter): RunListState & { readonly list: RunList } {
  const { client } = useApp()
  const queries = useQueryClient()
  const options = useMemo(
    () => runListQuery(client, { workflow, endpoint, sweep, q }),
    [client, workflow, endpoint, sweep, q],
  )
  // Another filter shows what was there until it knows better, so that nothing jumps.
  const { data, error, isPlaceholderData } = useQuery({ ...options, placeholderData: keepPreviousData })
  const runs = data?.runs ?? NO_RUNS
  const [reads, setReads] = useState(false)
  // The newest run that is shown while somebody reads: it stays the first one.
  const [held, setHeld] = useState<Held>()
  if (reads && !isPlaceholderData && held?.of !== options) setHeld({ of: options, top: runs[0]?.id })
  const at =
    reads && held?.of === options
      ? Math.max(
          0,
          runs.findIndex(({ id }) => id === held.top),
        )
      : 0

  const [olderError, setOlderError] = useState<Error>()
  const list = useMemo<RunList>(() => {
    let isReadingOlder = false
    return {
      start: () => queries.refetchQueries({ queryKey: options.queryKey, exact: true }),
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
      setReading(next) {
        setReads(next)
        if (!next) setHeld(undefined)
      },
      showFresh: () => setHeld(undefined),
    }
  }, [client, queries, options, workflow, endpoint, sweep, q])
  return {
    phase: data !== undefined ? 'shown' : error === null ? 'loading' : 'failed',
    error: error ?? olderError,
    runs: useMemo(() => runs.slice(at), [runs, at]),
    fresh: useMemo(() => runs.slice(0, at), [runs, at]),
    more: data?.more ?? false,
    list,
  }
}

type Held = { readonly of: object; readonly top: string | undefined }
