import type { JobHistoryEntry } from '../../../contract/management.ts'
import { present } from '../../../lib/json/plain.ts'
import { isFailed } from '../../jobs/rules/requests/is-failed.ts'
import { ownTraceId, spanIdOf, type TraceContext } from './trace-context.ts'

/** Times are wall-clock ms. */
export type Span = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly state: string | undefined
  readonly name: string
  readonly kind: 'server' | 'internal' | 'client'
  readonly from: number
  readonly to: number
  readonly error: string | undefined
  readonly attributes: Readonly<Record<string, string | number>>
}

export type TracedJob = {
  readonly kind: 'job'
  readonly jobId: string
  readonly endpointId: string
  readonly status: string
  readonly attempt: number
  readonly retries: number
  readonly createdAt: number
  readonly finishedAt: number
  readonly delayMs: number | null
  readonly executionMs: number | null
  readonly workerId: string | null
  readonly caller: TraceContext | undefined
  readonly coldStart: { readonly from: number; readonly to: number } | undefined
  readonly moves: readonly JobHistoryEntry[] | undefined
}

export type TracedWebhook = {
  readonly kind: 'webhook'
  readonly jobId: string
  readonly endpointId: string
  readonly n: number
  readonly from: number
  readonly to: number
  readonly status: number | undefined
  readonly error: string | undefined
  readonly caller: TraceContext | undefined
}

export type TracedRequest = {
  readonly kind: 'request'
  readonly endpointId: string
  readonly traceId: string
  readonly spanId: string
  readonly caller: TraceContext | undefined
  readonly method: string
  readonly from: number
  readonly waitedMs: number
  readonly durationMs: number
  readonly status: number | undefined
  readonly workerId: string | undefined
}

export type Traced = TracedJob | TracedWebhook | TracedRequest

/** Upper bound of the span count, to limit the queue. */
export function spansAtMost(traced: Traced): number {
  if (traced.kind === 'webhook') return 1
  if (traced.kind === 'request') return 2
  return traced.moves === undefined ? 4 : 4 + traced.moves.length
}

export function spansOf(traced: Traced): readonly Span[] {
  if (traced.kind === 'webhook') return [webhookSpan(traced)]
  return traced.kind === 'request' ? requestSpans(traced) : jobSpans(traced)
}

const FAILED: ReadonlySet<string> = new Set(['FAILED', 'TIMED_OUT'])

function jobSpans(job: TracedJob): readonly Span[] {
  const { jobId, endpointId, status, caller, createdAt, finishedAt, coldStart } = job
  const shared = { traceId: caller?.traceId ?? ownTraceId(jobId), state: caller?.state, kind: 'internal' as const }
  // Retries after the end make further root spans in the same trace.
  const retries = job.moves?.filter(({ event }) => event === 'retry') ?? []
  const root = spanIdOf(jobId, 'job', retries.length)
  const begunAt = retries.at(-1)?.at ?? createdAt
  const child = { ...shared, parentSpanId: root, error: undefined }
  const error = FAILED.has(status) ? `the job ended as ${status}` : undefined
  const worker = job.workerId === null ? {} : { 'drydock.worker.id': job.workerId }
  const whole: Span = {
    ...shared,
    ...{ spanId: root, parentSpanId: caller?.spanId, name: `job ${endpointId}`, kind: 'server' },
    ...{ from: begunAt, to: Math.max(begunAt, finishedAt), error },
    attributes: {
      ...{ 'drydock.job.id': jobId, 'drydock.endpoint.id': endpointId, 'drydock.job.status': status },
      ...{ 'drydock.job.attempts': job.attempt, 'drydock.job.retries': job.retries },
    },
  }
  const cold: readonly Span[] =
    coldStart === undefined
      ? []
      : [
          {
            ...child,
            ...coldStart,
            spanId: spanIdOf(jobId, 'cold start', job.attempt),
            name: 'cold start',
            attributes: worker,
          },
        ]
  const phases = (job.moves === undefined ? phasesOf(job) : phasesOfMoves(job.moves, job)).map(
    ({ part, n, from, to, workerId, failed }): Span => ({
      ...child,
      ...{ spanId: spanIdOf(jobId, part, n), name: part, from, to: Math.max(from, to), error: failed },
      attributes: workerId === undefined ? {} : { 'drydock.worker.id': workerId, 'drydock.job.attempt': n },
    }),
  )
  return [whole, ...cold, ...phases]
}

type Phase = {
  readonly part: 'queued' | 'run'
  readonly n: number
  readonly from: number
  readonly to: number
  readonly workerId?: string
  readonly failed?: string | undefined
}

// One wait and one run, as for nearly all jobs.
function phasesOf({ createdAt, finishedAt, delayMs, executionMs, workerId, status }: TracedJob): readonly Phase[] {
  if (delayMs === null || workerId === null) return [{ part: 'queued', n: 1, from: createdAt, to: finishedAt }]
  const claimedAt = createdAt + delayMs
  const to = executionMs === null ? finishedAt : Math.min(finishedAt, claimedAt + executionMs)
  const failed = FAILED.has(status) ? `the job ended as ${status}` : undefined
  return [
    { part: 'queued', n: 1, from: createdAt, to: claimedAt },
    { part: 'run', n: 1, from: claimedAt, to, workerId, failed },
  ]
}

function phasesOfMoves(moves: readonly JobHistoryEntry[], { status }: TracedJob): readonly Phase[] {
  const phases: Phase[] = []
  let open:
    | { readonly part: Phase['part']; readonly n: number; readonly from: number; readonly workerId?: string }
    | undefined
  let waits = 0
  for (const { at, event, to, attempt, workerId } of moves) {
    if (event === 'progress' || event === 'reorder') continue
    if (event === 'retry') phases.length = 0
    if (open !== undefined) {
      const ended =
        to === 'IN_QUEUE'
          ? `the job was queued again: ${event}`
          : FAILED.has(to)
            ? `the job ended as ${status}`
            : undefined
      phases.push({ ...open, to: at, ...(open.part === 'run' ? { failed: ended } : {}) })
    }
    open = undefined
    if (to === 'IN_QUEUE') {
      waits += 1
      open = { part: 'queued', n: waits, from: at }
    }
    if (to === 'IN_PROGRESS')
      open = { part: 'run', n: attempt, from: at, ...(workerId === undefined ? {} : { workerId }) }
  }
  return phases
}

function webhookSpan({ jobId, endpointId, n, from, to, status, error, caller }: TracedWebhook): Span {
  return {
    ...{ traceId: caller?.traceId ?? ownTraceId(jobId), state: caller?.state, parentSpanId: spanIdOf(jobId, 'job') },
    ...{ spanId: spanIdOf(jobId, 'webhook', n), name: 'webhook', kind: 'client', from, to, error },
    attributes: {
      ...{ 'drydock.job.id': jobId, 'drydock.endpoint.id': endpointId, 'drydock.webhook.try': n },
      ...(status === undefined ? {} : { 'http.response.status_code': status }),
    },
  }
}

function requestSpans(request: TracedRequest): readonly Span[] {
  const { traceId, spanId, caller, endpointId, method, from, waitedMs, durationMs, status, workerId } = request
  const shared = { traceId, state: caller?.state }
  const error = isFailed({ status, workerId }) ? `the request was answered with ${status}` : undefined
  return [
    {
      ...shared,
      ...{
        spanId,
        parentSpanId: caller?.spanId,
        name: `request ${endpointId}`,
        kind: 'server',
        from,
        to: from + durationMs,
        error,
      },
      attributes: {
        ...{ 'drydock.endpoint.id': endpointId, 'http.request.method': method },
        ...present({ 'http.response.status_code': status, 'drydock.worker.id': workerId }),
      },
    },
    {
      ...shared,
      ...{ spanId: nextSpanId(spanId), parentSpanId: spanId, name: 'queued', kind: 'internal' },
      ...{ from, to: from + waitedMs, error: undefined, attributes: {} },
    },
  ]
}

// The next id: span ids are random, so collisions are unlikely.
const nextSpanId = (spanId: string) =>
  `${spanId.slice(0, 8)}${((Number.parseInt(spanId.slice(8), 16) ^ 1) >>> 0).toString(16).padStart(8, '0')}`
