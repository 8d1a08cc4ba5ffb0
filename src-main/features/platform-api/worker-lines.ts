/**
 * Worker lines for the platform's clients: program output and worker events, with times. Source: docs/spec/platform.md,
 * 5; ours for the system lines.
 */
import { AppError } from '../../contract/errors.ts'
import type { LineSource, WorkerLine } from '../../contract/log-query.ts'
import type { ServiceContext } from '../service-context.ts'
import { timeText } from './rules/endpoint-view.ts'

export type LineQuery = {
  readonly workerId: string
  readonly sources: readonly LineSource[]
  readonly since: number
  readonly tail: number
}

export type WorkerLines = ReturnType<typeof openWorkerLines>

type Deps = Pick<ServiceContext, 'storage' | 'registry'>

// Lines per read; source: ours, as for other logs.
const PAGE = 1000
const EVENTS = 1000
const KINDS = ['worker', 'scale', 'crash'] as const

export function requireEndpointOf({ storage, registry }: Deps, workerId: string, wanted?: string): string {
  const living = registry.get(workerId)?.endpointId
  const endpointId = living ?? storage.logs.newest({ by: 'worker', id: workerId }, 1)[0]?.endpointId
  if (endpointId === undefined || (wanted !== undefined && endpointId !== wanted))
    throw new AppError('WORKER_NOT_FOUND', { workerId: workerId.slice(0, 50) })
  return endpointId
}

export function openWorkerLines({ storage, registry }: Deps, endpointId: string, query: LineQuery) {
  const { workerId, sources, since, tail } = query
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
    read(): { readonly lines: readonly WorkerLine[]; readonly more: boolean } {
      const own = printed()
      const found = [...own, ...happened()].filter(({ at }) => at >= since).sort((a, b) => a.at - b.at)
      const lines = isFirst ? (tail === 0 ? [] : found.slice(-tail)) : found
      const more = !isFirst && own.length === PAGE
      isFirst = false
      return { lines: lines.map(({ at, source, line }) => ({ source, line, ts: timeText(at) })), more }
    },
    isOver: (): boolean => registry.get(workerId) === undefined,
  }
}

type Timed = { readonly at: number; readonly source: LineSource; readonly line: string }
