/**
 * Trace ids derive from the job id, so nothing is stored for callers without context. Source: W3C Trace Context
 * (traceparent, tracestate).
 */

export type TraceContext = {
  readonly traceId: string
  readonly spanId: string
  /** Whether the caller records; otherwise the trace is continued but not exported. */
  readonly isSampled: boolean
  readonly state?: string | undefined
}

export type TraceHeaders = { readonly traceparent: string; readonly tracestate?: string }

const PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const NOTHING = /^0+$/
// Minimum that must be forwarded; longer values may be dropped.
const STATE_LENGTH = 512

export function readTraceContext(parent: string | undefined, state: string | undefined): TraceContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = PARENT.exec(parent?.trim() ?? '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (NOTHING.test(traceId) || NOTHING.test(spanId)) return undefined
  const passed = state !== undefined && state !== '' && state.length <= STATE_LENGTH ? { state } : {}
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1, ...passed }
}

export function traceHeaders({ traceId, spanId, isSampled, state }: TraceContext): TraceHeaders {
  return {
    traceparent: `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`,
    ...(state === undefined ? {} : { tracestate: state }),
  }
}

const PARTS = { job: 0, queued: 1, 'cold start': 2, run: 3, webhook: 4 } as const

export const ownTraceId = (jobId: string): string => uuidOf(jobId)

export function spanIdOf(jobId: string, part: keyof typeof PARTS, n = 0): string {
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
