/**
 * The lines of a worker as the platform's clients read them: what its program printed, and what became of it, with
 * times. Source: docs/spec/platform.md, 5; ours for the lines of the system, which are its events.
 */
import { AppError } from '../../contract/errors.ts'
import { timeText } from '../../domain/platform/endpoint-view.ts'
import type { ServiceContext } from '../service-context.ts'

/** Where lines are from: the program, or what happened to its worker. */
export type LineSource = 'container' | 'system'

/** A line in the platform's words. */
export type WorkerLine = { readonly source: LineSource; readonly line: string; readonly ts: string }

/** Which lines: of these sources, at or after a time in ms since the epoch, the newest `tail`. */
export type LineWish = {
  readonly workerId: string
  readonly sources: readonly LineSource[]
  readonly since: number
  readonly tail: number
}

/** Reads the lines of one worker in pieces. */
export type WorkerLines = {
  /** What came since the last call; at first the newest lines that were wished for. */
  readonly read: () => { readonly lines: readonly WorkerLine[]; readonly more: boolean }
  /** Whether its worker has ended. */
  readonly isOver: () => boolean
}

type Deps = Pick<ServiceContext, 'storage' | 'registry'>

// Lines of one look at the store; source: ours, as for other logs.
const PAGE = 1000
// What happens to a worker is less than this in its life.
const EVENTS = 1000
const KINDS = ['worker', 'scale', 'crash'] as const

/**
 * The endpoint of a worker that lives, or whose lines are still there.
 * @throws AppError WORKER_NOT_FOUND; also of a worker of another endpoint than the one that is asked for
 */
export function requireEndpointOf({ storage, registry }: Deps, workerId: string, wanted?: string): string {
  const living = registry.get(workerId)?.endpointId
  const endpointId = living ?? storage.logs.newest({ by: 'worker', id: workerId }, 1)[0]?.endpointId
  if (endpointId === undefined || (wanted !== undefined && endpointId !== wanted))
    throw new AppError('WORKER_NOT_FOUND', { workerId: workerId.slice(0, 50) })
  return endpointId
}

/** Begins to read the lines of a worker of an endpoint. */
export function openWorkerLines({ storage, registry }: Deps, endpointId: string, wish: LineWish): WorkerLines {
  const { workerId, sources, since, tail } = wish
  const scope = { by: 'worker', id: workerId } as const
  let lastLine = 0
  let lastEvent = 0
  let isFirst = true

  function printed(): readonly Timed[] {
    if (!sources.includes('container')) return []
    const lines = isFirst ? storage.logs.newest(scope, tail) : storage.logs.after(scope, lastLine, PAGE)
    lastLine = lines.at(-1)?.id ?? (isFirst ? storage.logs.lastId() : lastLine)
    return lines.map(({ at, line }) => ({ at, source: 'container', line }))
  }

  function happened(): readonly Timed[] {
    if (!sources.includes('system')) return []
    const all = { kinds: KINDS, endpointId, from: since, to: Number.MAX_SAFE_INTEGER, before: Number.MAX_SAFE_INTEGER }
    const events = storage.events
      .fleet({ ...all, limit: EVENTS })
      .filter((event) => event.workerId === workerId && event.id > lastEvent)
      .toReversed()
    lastEvent = events.at(-1)?.id ?? lastEvent
    return events.map(({ at, event, reason }) => ({
      at,
      source: 'system',
      line: reason === undefined ? `worker ${event}` : `worker ${event}: ${reason}`,
    }))
  }

  return {
    read() {
      const own = printed()
      const found = [...own, ...happened()].filter(({ at }) => at >= since).sort((a, b) => a.at - b.at)
      const lines = isFirst ? (tail === 0 ? [] : found.slice(-tail)) : found
      const more = !isFirst && own.length === PAGE
      isFirst = false
      return { lines: lines.map(({ at, source, line }) => ({ source, line, ts: timeText(at) })), more }
    },
    isOver: () => registry.get(workerId) === undefined,
  }
}

type Timed = { readonly at: number; readonly source: LineSource; readonly line: string }
