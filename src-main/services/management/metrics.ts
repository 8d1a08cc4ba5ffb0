/**
 * Metrics over time: every 10 s what happened on each endpoint is written as one step, only for endpoints where
 * something did. Reading adds steps up to the number of points asked for. Requests to load-balanced endpoints are counted
 * like jobs, all of it when they end: what became of one that is still open nobody knows.
 */
import type { MetricsPoint, ProxiedRequest } from '../../contract/management.ts'
import { bucketOf, type Step, toPoints } from '../../domain/metrics.ts'
import type { Change, Clock, Log, Storage } from '../ports.ts'
import type { QueueCounts } from '../queue/queue-counts.ts'
import type { LiveWorker, WorkerRegistry } from '../workers/worker-registry.ts'

/** What metrics need. */
export type MetricsDeps = {
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Log
  readonly counts: QueueCounts
  readonly registry: WorkerRegistry
}

/** What metrics want to know of a request that has ended. */
export type EndedRequest = Pick<ProxiedRequest, 'endpointId' | 'status' | 'workerId' | 'waitedMs' | 'durationMs'>

type OpenStep = {
  submitted: number
  completed: number
  failed: number
  retried: number
  coldStarts: number
  delay: Record<number, number>
  execution: Record<number, number>
}

const STEP_MS = 10_000
const POINTS = 100
// A connection that goes on as a WebSocket lasts as long as people talk, which says nothing of the worker.
const SWITCHED = 101
const FAILED_FROM = 500

/** The recorder of metrics. */
export class MetricsRecorder {
  readonly #deps: MetricsDeps
  readonly #open = new Map<string, OpenStep>()
  #cancel: (() => void) | undefined
  #quiet = new Set<string>()
  readonly #started = new WeakSet<LiveWorker>()

  constructor(deps: MetricsDeps) {
    this.#deps = deps
    deps.storage.onCommit((changes) => this.#hear(changes))
    deps.registry.onMove((worker) => this.#countStart(worker))
  }

  /** Begins to write steps. */
  start(): void {
    this.#cancel = this.#deps.clock.after(STEP_MS, () => {
      this.#write().catch((error) => this.#deps.log.warn('metrics not written', { error }))
      this.start()
    })
  }

  /** Writes the open step and ends. */
  async stop(): Promise<void> {
    this.#cancel?.()
    this.#cancel = undefined
    await this.#write()
  }

  /** Points from `from` to `to` (wall ms), at most `points` of them. */
  read(
    endpointId: string,
    range: { readonly from: number; readonly to: number; readonly points: number | undefined },
  ): { readonly stepMs: number; readonly points: MetricsPoint[] } {
    const { from, to, points = POINTS } = range
    const stepMs = Math.max(1, Math.ceil((to - from) / points / STEP_MS)) * STEP_MS
    const rows = this.#deps.storage.metrics.read(endpointId, from, to)
    const steps = rows.map(({ at, point }) => ({ at, step: JSON.parse(point) as Step }))
    return { stepMs, points: [...toPoints(steps, stepMs)] }
  }

  /** Counts a request to a load-balanced endpoint that has ended. Who left before an answer counts as neither good nor bad. */
  countRequest({ endpointId, status, workerId, waitedMs, durationMs }: EndedRequest): void {
    const step = this.#stepOf(endpointId)
    step.submitted += 1
    if (status !== undefined && status < FAILED_FROM) step.completed += 1
    if (status !== undefined && status >= FAILED_FROM) step.failed += 1
    if (workerId === undefined) return
    count(step.delay, waitedMs)
    if (status !== undefined && status !== SWITCHED) count(step.execution, Math.max(0, durationMs - waitedMs))
  }

  #hear(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.type !== 'job' || change.event === 'progress') continue
      const step = this.#stepOf(change.endpointId)
      const { delayMs, executionMs } = change.job
      if (change.event === 'submit') step.submitted += 1
      if (change.event === 'rescue') step.retried += 1
      if (change.to === 'COMPLETED') step.completed += 1
      if (change.to === 'FAILED') step.failed += 1
      if (change.event === 'claim' && delayMs !== null) count(step.delay, delayMs)
      if (change.to !== 'IN_QUEUE' && change.from === 'IN_PROGRESS' && executionMs !== null)
        count(step.execution, executionMs)
    }
  }

  // Ready for the first time. One that an earlier run of the service started was counted there.
  #countStart(worker: LiveWorker): void {
    if (!worker.becameReady || worker.adopted || this.#started.has(worker)) return
    this.#started.add(worker)
    this.#stepOf(worker.endpointId).coldStarts += 1
  }

  #stepOf(endpointId: string): OpenStep {
    const open = this.#open.get(endpointId)
    if (open !== undefined) return open
    const fresh = emptyStep()
    this.#open.set(endpointId, fresh)
    return fresh
  }

  async #write(): Promise<void> {
    const { storage, clock } = this.#deps
    const at = Math.floor(clock.now() / STEP_MS) * STEP_MS
    const steps = storage.endpoints.all().flatMap(({ id }) => {
      const step = this.#closeStep(id)
      return step === undefined ? [] : [{ id, point: JSON.stringify(step) }]
    })
    if (steps.length === 0) return
    await storage.write(() => {
      for (const { id, point } of steps) storage.metrics.save(id, at, point)
    })
  }

  // An endpoint that stays quiet writes one last step with its gauges and then none.
  #closeStep(endpointId: string): Step | undefined {
    const { counts, registry } = this.#deps
    const { normal, lowPriority, inProgress } = counts.of(endpointId)
    const workers: Record<string, number> = {}
    for (const { state } of registry.ofEndpoint(endpointId)) workers[state] = (workers[state] ?? 0) + 1
    const open = this.#open.get(endpointId)
    this.#open.delete(endpointId)
    const quiet = open === undefined && normal + lowPriority + inProgress === 0 && Object.keys(workers).length === 0
    if (quiet && this.#quiet.has(endpointId)) return undefined
    if (quiet) this.#quiet.add(endpointId)
    else this.#quiet.delete(endpointId)
    return { ...(open ?? emptyStep()), inQueue: normal + lowPriority, inProgress, workers }
  }
}

function emptyStep(): OpenStep {
  return { submitted: 0, completed: 0, failed: 0, retried: 0, coldStarts: 0, delay: {}, execution: {} }
}

function count(histogram: Record<number, number>, ms: number): void {
  const bucket = bucketOf(ms)
  histogram[bucket] = (histogram[bucket] ?? 0) + 1
}
