/**
 * Job and request traces. Spans derive from an ended job's row alone: free until then and restart-proof. Off without an
 * address; the collector is never awaited.
 */
import type { JobHistoryEntry } from '../../contract/management.ts'
import type { Clock, Log, NewId } from '../../lib/clock.ts'
import type { Change, Job, JobChange, Storage } from '../../storage/storage.ts'
import { isFinal } from '../jobs/rules/transitions.ts'
import type { Settings } from '../settings/settings.ts'
import type { LiveWorker, WorkerRegistry } from '../workers/registry/worker-registry.ts'
import type { Collector, OpenCollector, SpanCounts } from './ports.ts'
import type { Traced, TracedRequest } from './rules/job-spans.ts'
import {
  contextOfRun,
  readTraceContext,
  type TraceContext,
  type TraceHeaders,
  traceHeaders,
} from './rules/trace-context.ts'

export type TracesDeps = {
  readonly storage: Pick<Storage, 'onDurable' | 'traces' | 'jobs'>
  readonly registry: Pick<WorkerRegistry, 'onMove'>
  readonly settings: Pick<Settings, 'get'>
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly open: OpenCollector
  readonly address: string | undefined
  readonly version: () => string
}

export type WebhookTry = {
  readonly job: Pick<Job, 'id' | 'seq' | 'endpointId'>
  readonly n: number
  readonly from: number
  readonly status: number | undefined
  readonly error: string | undefined
}

export type RequestTrace = Pick<TracedRequest, 'traceId' | 'spanId' | 'caller'> & { readonly headers: TraceHeaders }

export type Traces = ReturnType<typeof createTraces>

// Remembered worker starts, for the first job of each; source: ours, more than may run.
const MOST_STARTS = 2000
// Interval of log lines about a failing collector, ms; source: ours.
const SAY_EVERY_MS = 60_000

export function createTraces(deps: TracesDeps) {
  const { storage, settings, clock, newId, log, open, address, version } = deps
  let opened: { readonly url: string; readonly collector: Collector } | undefined
  let before: SpanCounts = { exported: 0, dropped: 0 }
  let stopped = false
  let saidAt: number | undefined
  const starts = createStarts(deps)

  const url = () => address ?? settings.get().tracesTo
  const isOn = () => !stopped && url() !== ''

  function problem(why: string): void {
    if (saidAt !== undefined && clock.steady() - saidAt < SAY_EVERY_MS) return
    saidAt = clock.steady()
    log.warn('spans of traces are dropped', { ...counts(), reason: why })
  }

  function collector(): Collector {
    const at = url()
    if (opened?.url === at) return opened.collector
    void close()
    opened = { url: at, collector: open({ url: at, version: version(), problem }) }
    log.info('traces are exported', { to: hostOf(at) })
    return opened.collector
  }

  function counts(): SpanCounts {
    const now = opened?.collector.counts() ?? { exported: 0, dropped: 0 }
    return { exported: before.exported + now.exported, dropped: before.dropped + now.dropped }
  }

  async function close(): Promise<void> {
    const closing = opened
    if (closing === undefined) return
    opened = undefined
    await closing.collector.stop()
    const last = closing.collector.counts()
    before = { exported: before.exported + last.exported, dropped: before.dropped + last.dropped }
  }

  function send(traced: Traced): void {
    // A caller that does not record wants no trace.
    if (traced.caller?.isSampled !== false) collector().send(traced)
  }

  storage.onDurable((changes: readonly Change[]) => {
    if (!isOn()) return
    for (const change of changes) if (change.type === 'job' && isEnd(change)) send(tracedJob(deps, starts, change))
  })

  return {
    read: (header: (name: string) => string | undefined): TraceContext | undefined =>
      isOn() ? readTraceContext(header('traceparent'), header('tracestate')) : undefined,
    forWorker: (job: Pick<Job, 'id' | 'seq' | 'attempt'>): TraceHeaders | undefined =>
      isOn() ? traceHeaders(contextOfRun(job, storage.traces.find(job.seq))) : undefined,
    webhook({ job, ...sent }: WebhookTry) {
      if (!isOn()) return
      const caller = storage.traces.find(job.seq)
      send({ kind: 'webhook', jobId: job.id, endpointId: job.endpointId, caller, to: clock.now(), ...sent })
    },
    beginRequest(header: (name: string) => string | undefined): RequestTrace | undefined {
      if (!isOn()) return undefined
      const caller = readTraceContext(header('traceparent'), header('tracestate'))
      const traceId = caller?.traceId ?? newId.uuid().replaceAll('-', '')
      const spanId = newId.uuid().replaceAll('-', '').slice(16)
      const headers = traceHeaders({ traceId, spanId, isSampled: caller?.isSampled ?? true, state: caller?.state })
      return { traceId, spanId, caller, headers }
    },
    endRequest: (
      { traceId, spanId, caller }: RequestTrace,
      request: Omit<TracedRequest, 'kind' | 'traceId' | 'spanId' | 'caller'>,
    ) => isOn() && send({ kind: 'request', traceId, spanId, caller, ...request }),
    counts,
    async stop() {
      stopped = true
      await close()
    },
  }
}

// Only the host, as the rest may be secret.
const hostOf = (address: string) => /^https?:\/\/(?:[^/@]*@)?([^/?#]*)/i.exec(address)?.[1] ?? ''

const isEnd = ({ from, to }: JobChange) => isFinal(to) && from !== undefined && !isFinal(from)

function tracedJob({ storage }: TracesDeps, starts: Starts, { seq, job }: JobChange): Traced {
  const { id, endpointId, status, attempt, retries, createdAt, delayMs, executionMs, workerId } = job
  const isQueuedOnce = attempt <= 1 && retries === 0
  const moves = isQueuedOnce ? undefined : storage.jobs.history(seq)
  const wait = moves === undefined ? { from: createdAt, to: createdAt + (delayMs ?? 0) } : lastWait(moves)
  return {
    ...{ kind: 'job', jobId: id, endpointId, status, attempt, retries, createdAt, delayMs, executionMs, workerId },
    finishedAt: job.finishedAt ?? createdAt,
    caller: storage.traces.find(seq),
    coldStart: workerId === null ? undefined : starts.during(workerId, wait.from, wait.to),
    moves,
  }
}

function lastWait(moves: readonly JobHistoryEntry[]): { readonly from: number; readonly to: number } {
  const claim = moves.findLastIndex(({ to, event }) => to === 'IN_PROGRESS' && event === 'claim')
  const queued = moves.slice(0, claim).findLast(({ to }) => to === 'IN_QUEUE')
  return { from: queued?.at ?? 0, to: moves[claim]?.at ?? 0 }
}

type Starts = ReturnType<typeof createStarts>

// Readiness of workers, which may be gone when their first job ends.
function createStarts({ registry, clock }: Pick<TracesDeps, 'registry' | 'clock'>) {
  const known = new Map<string, { readonly startedAt: number; readonly readyAt: number }>()
  registry.onMove(({ id, becameReady, adopted, startedWallAt }: LiveWorker) => {
    if (!becameReady || adopted || known.has(id)) return
    known.set(id, { startedAt: startedWallAt, readyAt: clock.now() })
    for (const oldest of known.keys()) if (known.size > MOST_STARTS) known.delete(oldest)
  })
  return {
    during(workerId: string, from: number, to: number): { readonly from: number; readonly to: number } | undefined {
      const start = known.get(workerId)
      if (start === undefined || start.readyAt <= from || start.startedAt >= to) return undefined
      return { from: Math.max(start.startedAt, from), to: Math.min(start.readyAt, to) }
    },
  }
}
