/**
 * Runs, the newest first, read piece by piece as somebody looks at them. Events change what is there; runs that have come
 * since wait until they are asked for while somebody reads, and are shown at once otherwise.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { RunView } from '../../../../src-main/contract/workflows.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import type { NumberedEvent } from '../../../api-client/event-stream.ts'
import type { Platform } from '../../../platform/platform.ts'
import { runsHeard } from './run-events.ts'

/** Which runs. */
export type RunFilter = {
  readonly workflow?: string | undefined
  readonly endpoint?: string | undefined
  readonly sweep?: string | undefined
  /** Words of the title, the label or the prompts. */
  readonly q?: string | undefined
}

/** What is known of them. */
export type RunListState = {
  readonly phase: 'loading' | 'shown' | 'failed'
  readonly error: Error | undefined
  readonly runs: readonly RunView[]
  /** Whether there are older ones than those. */
  readonly more: boolean
  /** Newer ones that wait to be shown. */
  readonly fresh: readonly RunView[]
}

/** The list. */
export type RunList = StoreApi<RunListState> & {
  /** Reads the newest; safe to call again. */
  readonly start: () => Promise<void>
  /** Reads older ones; nothing happens while that is under way or there are none. */
  readonly readMore: () => Promise<void>
  readonly hear: (events: readonly NumberedEvent[]) => void
  /** Tells whether somebody reads, so that nothing may move. */
  readonly setReading: (reads: boolean) => void
  readonly showFresh: () => void
  readonly stop: () => void
}

// Some screens full.
const PIECE = 60
const READ_AGAIN_MS = 300

/** Makes a list; nothing is read before `start`. */
export function createRunList({
  client,
  platform,
  filter,
}: {
  readonly client: Pick<ApiClient, 'call'>
  readonly platform: Pick<Platform, 'after'>
  readonly filter: RunFilter
}): RunList {
  const store = createStore<RunListState>(() => ({
    phase: 'loading',
    error: undefined,
    runs: [],
    more: false,
    fresh: [],
  }))
  let reads = false
  let stopped = false
  let isReadingMore = false
  let cancelAgain: (() => void) | undefined

  const read = (before?: string) => client.call('runList', { query: { ...filter, before, limit: PIECE } })

  async function start(): Promise<void> {
    stopped = false
    try {
      const { runs, more } = await read()
      if (stopped) return
      const before = store.getState()
      if (before.phase === 'shown') merge(runs)
      else store.setState({ phase: 'shown', error: undefined, runs, more, fresh: [] })
    } catch (error) {
      const phase = store.getState().phase === 'shown' ? 'shown' : 'failed'
      if (!stopped) store.setState({ phase, error: error as Error })
    }
  }

  // The newest piece, read again: known ones are changed in place, others are new.
  function merge(newest: readonly RunView[]): void {
    const { runs, fresh } = store.getState()
    const latest = new Map(newest.map((run) => [run.id, run]))
    const now = (run: RunView) => latest.get(run.id) ?? run
    const known = new Set(runs.map(({ id }) => id))
    const top = runs[0]
    // One that was dropped here, or that has come into the filter since, is not new.
    const added = newest.filter((run) => !known.has(run.id) && (top === undefined || run.createdAt >= top.createdAt))
    const all = new Set(added.map(({ id }) => id))
    const waiting = [...added, ...fresh.filter(({ id }) => !all.has(id)).map(now)]
    const changed = runs.map(now)
    if (reads) store.setState({ error: undefined, runs: changed, fresh: waiting })
    else store.setState({ error: undefined, runs: [...waiting, ...changed], fresh: [] })
  }

  async function readMore(): Promise<void> {
    const { runs, more, phase } = store.getState()
    const last = runs.at(-1)
    if (isReadingMore || !more || phase !== 'shown' || last === undefined) return
    isReadingMore = true
    try {
      const piece = await read(last.id)
      const known = new Set(store.getState().runs.map(({ id }) => id))
      const older = piece.runs.filter(({ id }) => !known.has(id))
      if (!stopped) store.setState(({ runs }) => ({ runs: [...runs, ...older], more: piece.more, error: undefined }))
    } catch (error) {
      if (!stopped) store.setState({ error: error as Error })
    } finally {
      isReadingMore = false
    }
  }

  const again = () => {
    cancelAgain ??= platform.after(READ_AGAIN_MS, () => {
      cancelAgain = undefined
      if (!stopped) void start()
    })
  }

  async function readOlder(ids: readonly string[]): Promise<void> {
    for (const runId of ids) {
      const run = await client.call('runRead', { path: { runId } }).catch(() => undefined)
      if (run === undefined || stopped) return
      store.setState(({ runs }) => ({ runs: runs.map((one) => (one.id === runId ? run : one)) }))
    }
  }

  function hear(events: readonly NumberedEvent[]): void {
    const { changed, mayBeNew } = runsHeard(events)
    if (changed.size === 0) return
    const { runs, fresh } = store.getState()
    const known = [...fresh, ...runs].findIndex(({ id }) => changed.has(id))
    if (mayBeNew || (known >= 0 && known < PIECE)) again()
    const older = runs.slice(PIECE).flatMap(({ id }) => (changed.has(id) ? [id] : []))
    if (older.length > 0) void readOlder(older)
  }

  return Object.assign(store, {
    start,
    readMore,
    hear,
    setReading(next: boolean) {
      reads = next
      if (!reads && store.getState().fresh.length > 0) showFresh()
    },
    showFresh,
    stop() {
      stopped = true
      cancelAgain?.()
      cancelAgain = undefined
    },
  })

  function showFresh(): void {
    store.setState(({ runs, fresh }) => ({ runs: [...fresh, ...runs], fresh: [] }))
  }
}
