/**
 * Exports spans by OTLP over HTTP in a thread, as packing them costs more than a job. The queue is bounded; lost spans
 * are counted, and nobody waits. The exporter reads OTEL_EXPORTER_OTLP_HEADERS, _TIMEOUT, _COMPRESSION and the like.
 */

import { isMainThread, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { networkReason } from '../../../lib/network-error.ts'
import type { OpenCollector } from '../ports.ts'
import { type Span, spansAtMost, spansOf, type Traced } from '../rules/job-spans.ts'

// Source: ours. Spans of 5,000 jobs, some 10 MB; a short collector outage loses nothing under normal load.
const MOST_WAITING = 20_000
// As the official SDK's batch processor: spans per request, and their maximum wait, ms.
const BATCH = 512
const BATCH_AFTER_MS = 1000
// How long shutdown waits for remaining spans, ms; source: ours.
const STOP_MS = 2000

type Settled = { readonly spans: number; readonly atMost: number; readonly error: string | undefined }
type Told = { readonly traced: readonly Traced[] } | 'stop'
type Given = { readonly url: string; readonly version: string }

export const openCollector: OpenCollector = ({ url, version, problem }) => {
  let thread: Worker | undefined
  let ended: Promise<void> = Promise.resolve()
  let batch: Traced[] = []
  let timer: NodeJS.Timeout | undefined
  let waiting = 0
  let exported = 0
  let dropped = 0
  let isStopping = false

  function begin(): Worker {
    const started = new Worker(new URL(import.meta.url), { workerData: { url, version } satisfies Given })
    started.unref()
    started.on('message', ({ spans, atMost, error }: Settled) => {
      waiting = Math.max(0, waiting - atMost)
      if (error === undefined) exported += spans
      else drop(spans, error)
    })
    started.once('error', (error) => drop(0, `their thread failed: ${error.message}`))
    ended = new Promise((resolve) => {
      started.once('exit', () => {
        if (thread === started) thread = undefined
        if (waiting > 0) drop(waiting, 'the thread that exports them has ended')
        waiting = 0
        resolve()
      })
    })
    return started
  }

  function drop(spans: number, why: string): void {
    dropped += spans
    problem(why)
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (batch.length === 0) return
    thread ??= begin()
    thread.postMessage({ traced: batch } satisfies Told)
    batch = []
  }

  return {
    send(traced) {
      const spans = spansAtMost(traced)
      if (isStopping || waiting + spans > MOST_WAITING) return drop(spans, 'the collector takes them too slowly')
      waiting += spans
      batch.push(traced)
      if (batch.length >= BATCH) return flush()
      timer ??= setTimeout(flush, BATCH_AFTER_MS).unref()
    },
    counts: () => ({ exported, dropped }),
    async stop() {
      isStopping = true
      flush()
      const last = thread
      if (last === undefined) return
      last.ref()
      last.postMessage('stop' satisfies Told)
      const limit = setTimeout(() => void last.terminate(), STOP_MS)
      await ended
      clearTimeout(limit)
    },
  }
}

async function exportSpans(port: MessagePort, { url, version }: Given): Promise<void> {
  const [{ OTLPTraceExporter }, { resourceFromAttributes, defaultResource }, api] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/api'),
  ])
  const { SpanKind, SpanStatusCode, TraceFlags, createTraceState } = api
  const exporter = new OTLPTraceExporter({ url })
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override ours, as everywhere.
  const own = { 'service.name': process.env.OTEL_SERVICE_NAME ?? 'drydock', 'service.version': version }
  const resource = defaultResource().merge(resourceFromAttributes(own))
  const instrumentationScope = { name: 'drydock', version }
  const KINDS = { server: SpanKind.SERVER, internal: SpanKind.INTERNAL, client: SpanKind.CLIENT }
  const time = (ms: number): [number, number] => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)]

  const readable = (span: Span): ReadableSpan => {
    const state = span.state === undefined ? {} : { traceState: createTraceState(span.state) }
    const context = { traceId: span.traceId, traceFlags: TraceFlags.SAMPLED, ...state }
    return {
      name: span.name,
      kind: KINDS[span.kind],
      spanContext: () => ({ ...context, spanId: span.spanId }),
      ...(span.parentSpanId === undefined ? {} : { parentSpanContext: { ...context, spanId: span.parentSpanId } }),
      startTime: time(span.from),
      endTime: time(span.to),
      duration: time(span.to - span.from),
      status:
        span.error === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: span.error },
      attributes: span.attributes,
      ...{ links: [], events: [], ended: true, resource, instrumentationScope },
      ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
    }
  }

  const send = (spans: readonly Span[]) =>
    new Promise<string | undefined>((resolve) =>
      exporter.export(spans.map(readable), ({ code, error }) =>
        resolve(
          code === 0 ? undefined : error === undefined ? 'the collector did not take them' : networkReason(error),
        ),
      ),
    )

  let last: Promise<void> = Promise.resolve()
  async function exportBatch(traced: readonly Traced[]): Promise<void> {
    const spans = traced.flatMap(spansOf)
    const error = await send(spans)
    const atMost = traced.reduce((sum, one) => sum + spansAtMost(one), 0)
    port.postMessage({ spans: spans.length, atMost, error } satisfies Settled)
  }
  port.on('message', (told: Told) => {
    last = last.then(() => (told === 'stop' ? port.close() : exportBatch(told.traced)))
  })
}

if (!isMainThread && parentPort !== null) void exportSpans(parentPort, workerData)
