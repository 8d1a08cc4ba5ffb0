/**
 * The context of a trace: how it is read from a request, which ids the spans of a job have, and what a worker is told.
 * All ids follow from the id of the job, so that nothing is stored for a job whose caller brought no context.
 * Source: W3C Trace Context (traceparent, tracestate).
 */

/** The span that another program left us to continue. */
export type TraceContext = {
  readonly traceId: string
  readonly spanId: string
  /** Whether the caller records; a trace that it does not record is continued and not exported. */
  readonly isSampled: boolean
  /** The header `tracestate` as it came. */
  readonly state?: string | undefined
}

/** The headers with which a context goes on. */
export type TraceHeaders = { readonly traceparent: string; readonly tracestate?: string }

const PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const NOTHING = /^0+$/
// What must be passed on at least; a longer one may be dropped.
const STATE_LENGTH = 512

/** Reads the headers of a request; undefined where they say nothing, or nothing valid. */
export function readTraceContext(parent: string | undefined, state: string | undefined): TraceContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = PARENT.exec(parent?.trim() ?? '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (NOTHING.test(traceId) || NOTHING.test(spanId)) return undefined
  const passed = state !== undefined && state !== '' && state.length <= STATE_LENGTH ? { state } : {}
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1, ...passed }
}

/** The headers of a context. */
export function traceHeaders({ traceId, spanId, isSampled, state }: TraceContext): TraceHeaders {
  return {
    traceparent: `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`,
    ...(state === undefined ? {} : { tracestate: state }),
  }
}

/** What a span of a job is. The number keeps their ids apart. */
const PARTS = { job: 0, queued: 1, 'cold start': 2, run: 3, webhook: 4 } as const

/** What a span of a job is. */
export type TracePart = keyof typeof PARTS

/** Id of the trace that a job begins whose caller brought none: the UUID in its id. */
export const ownTraceId = (jobId: string): string => uuidOf(jobId)

/** Id of a span of a job. @param n which of them: the attempt of a run, the try of a webhook */
export function spanIdOf(jobId: string, part: TracePart, n = 0): string {
  const random = uuidOf(jobId).slice(16)
  const last = Number.parseInt(random.slice(8), 16) ^ ((PARTS[part] << 24) | (n & 0xff_ff_ff))
  return `${random.slice(0, 8)}${(last >>> 0).toString(16).padStart(8, '0')}`
}

function uuidOf(jobId: string): string {
  return jobId
    .replace(/^sync-/, '')
    .slice(0, 36)
    .replaceAll('-', '')
    .padEnd(32, '0')
}

/** The context in which an attempt of a job runs: its worker continues it. */
export function contextOfRun(
  job: { readonly id: string; readonly attempt: number },
  caller: TraceContext | undefined,
): TraceContext {
  return {
    traceId: caller?.traceId ?? ownTraceId(job.id),
    spanId: spanIdOf(job.id, 'run', job.attempt),
    isSampled: caller?.isSampled ?? true,
    state: caller?.state,
  }
}
