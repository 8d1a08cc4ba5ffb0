/**
 * Metrics over time: an endpoint writes a step every 10 s while its figures change; reads merge steps into points.
 * Load-balanced requests count like jobs, at their end.
 */
import type { MetricsPoint, MetricsTotals, ProxiedRequest } from '../../contract/management.ts'
import type { Clock, Log } from '../../lib/clock.ts'
import type { Change, Endpoint, Job, JobChange, Storage } from '../../storage/storage.ts'
import { type QueueCounts, waitingJobs } from '../jobs/queue/queue-counts.ts'
import { isFailed } from '../jobs/rules/requests/is-failed.ts'
import type { LiveWorker, WorkerRegistry } from '../workers/registry/worker-registry.ts'
import {
  addCounts,
  addSteps,
  bucketOf,
  type Counts,
  type Gauges,
  HELD_MS,
  higher,
  type Most,
  mostAt,
  repeatHeld,
  STEP_MS,
  type Step,
  type StepAt,
  toPoints,
  toTotals,
} from './rules/metrics.ts'

export type MetricsDeps = {
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Log
  readonly counts: QueueCounts
  readonly registry: WorkerRegistry
  readonly workersOf: (endpoint: Endpoint) => Readonly<Record<string, number>>
}

export type EndedRequest = Pick<ProxiedRequest, 'endpointId' | 'status' | 'workerId' | 'waitedMs' | 'durationMs'>

type OpenStep = {
  submitted: number
  completed: number
  failed: number
  retried: number
  coldStarts: number
  delay: Record<number, number>
  execution: Record<number, number>
  delayMaxMs: number
  executionMaxMs: number
  unstored: Unstored
}

type Unstored = { timedOut: number; cancelled: number; delayMs: number; executionMs: number }

export type SinceStart = Counts & Readonly<Unstored>

const POINTS = 100
const COUNTED_UP_TO = 'metrics.countedEventId'
// Events read at once. Source: ours, a few ms.
const RESTORED = 1000
// A WebSocket lasts as long as people use it, which says nothing about the worker.
const SWITCHED = 101

export class MetricsRecorder {
  readonly #deps: MetricsDeps
  readonly #open = new Map<string, OpenStep>()
  // Start of the open step: data must not move to another one.
  #at: number
  #cancel: (() => void) | undefined
  readonly #quiet = new Set<string>()
  // Held steps by endpoint, with their gauges as JSON.
  readonly #held = new Map<string, { readonly at: number; readonly gauges: string }>()
  readonly #started = new WeakSet<LiveWorker>()
  // Last arrival or end of work; looked up once, because idle workers write many empty steps.
  readonly #lastActive = new Map<string, number | undefined>()
  // Of the open step, starting with the last gauges.
  readonly #most = new Map<string, Most>()
  // Sums of closed steps since the start, so that scrapers cost nothing per job.
  readonly #closed = new Map<string, SinceStart>()
  // The last event of earlier runs of the service, and the last event that a step of this run counts.
  readonly #lastBefore: number
  #counted: number

  constructor(deps: MetricsDeps) {
    this.#deps = deps
    this.#at = this.#stepAt()
    this.#lastBefore = deps.storage.events.lastId()
    this.#counted = this.#lastBefore
    deps.storage.onCommit((changes) => this.#noteMost(changes))
    deps.storage.onDurable((changes) => this.#onChanges(changes))
    deps.registry.onMove((worker) => this.#countStart(worker))
  }

  async start(): Promise<void> {
    await this.#restore().catch((error) => this.#deps.log.warn('last metrics not restored', { error }))
    this.#schedule()
  }

  #schedule(): void {
    const { clock } = this.#deps
    this.#at = this.#stepAt()
    this.#cancel = clock.after(this.#at + STEP_MS - clock.now(), () => {
      this.#write().catch((error) => this.#deps.log.warn('metrics not written', { error }))
      this.#schedule()
    })
  }

  /** Counts the last step again from the event log, because a killed service leaves it unwritten. */
  async #restore(): Promise<void> {
    const { storage } = this.#deps
    const counted = Number(storage.state.get(COUNTED_UP_TO) ?? this.#lastBefore)
    await storage.write(() => {
      for (const { endpointId, at, step } of this.#lostSteps(counted)) {
        const gauges = this.#gauges(endpointId)
        this.#addStep(endpointId, at, { ...stored(step), ...gauges, most: mostAt(gauges) })
        this.#lastActive.delete(endpointId)
      }
      storage.state.set(COUNTED_UP_TO, this.#lastBefore)
    })
  }

  #lostSteps(counted: number): Iterable<{ readonly endpointId: string; readonly at: number; readonly step: OpenStep }> {
    const { events, jobs, endpoints } = this.#deps.storage
    const lost = new Map<string, { readonly endpointId: string; readonly at: number; readonly step: OpenStep }>()
    for (let from = counted; from < this.#lastBefore; ) {
      const changes = events.after(from, RESTORED)
      for (const change of changes) {
        if (change.eventId > this.#lastBefore) return lost.values()
        const { endpointId } = change
        if (change.type !== 'job' || change.event === 'progress' || endpoints.get(endpointId) === undefined) continue
        const at = Math.floor(change.at / STEP_MS) * STEP_MS
        const key = `${endpointId} ${at}`
        const { step } = lost.get(key) ?? { step: emptyStep() }
        lost.set(key, { endpointId, at, step })
        countChange(step, change, jobs.read(change.seq))
      }
      from = changes.at(-1)?.eventId ?? this.#lastBefore
    }
    return lost.values()
  }

  // An earlier run of the service may have ended within the same step.
  #addStep(endpointId: string, at: number, step: Step): void {
    const { metrics } = this.#deps.storage
    const [before] = metrics.read(endpointId, at, at + 1)
    const whole = before === undefined ? step : addSteps(JSON.parse(before.point) as Step, step)
    metrics.save(endpointId, at, JSON.stringify(whole))
  }

  async stop(): Promise<void> {
    this.#cancel?.()
    this.#cancel = undefined
    await this.#write({ ends: true })
  }

  read(
    endpointId: string,
    range: { readonly from: number; readonly to: number; readonly points: number | undefined },
  ): {
    readonly stepMs: number
    readonly points: MetricsPoint[]
    readonly totals: MetricsTotals
    readonly lastActiveAt?: number
  } {
    const { from, to, points = POINTS } = range
    const stepMs = Math.max(1, Math.ceil((to - from) / points / STEP_MS)) * STEP_MS
    const rows = this.#deps.storage.metrics.read(endpointId, from - HELD_MS, to)
    const written = rows.map(({ at, point }) => ({ at, step: JSON.parse(point) as Step }))
    const steps = [...repeatHeld(written, this.#at), ...this.openSteps(endpointId)].filter(
      ({ at }) => at >= from && at < to,
    )
    const lastActiveAt = this.#lastActiveAt(endpointId)
    return {
      stepMs,
      points: [...toPoints(steps, stepMs)],
      totals: toTotals(steps.map(({ step }) => step)),
      ...(lastActiveAt === undefined ? {} : { lastActiveAt }),
    }
  }

  sinceStart(endpointId: string): SinceStart | undefined {
    const open = this.#open.get(endpointId)
    return open === undefined ? this.#closed.get(endpointId) : this.#withClosed(endpointId, open)
  }

  #withClosed(endpointId: string, { unstored, ...step }: OpenStep): SinceStart {
    const before = this.#closed.get(endpointId)
    if (before === undefined) return { ...step, ...unstored }
    return {
      ...addCounts(before, step),
      timedOut: before.timedOut + unstored.timedOut,
      cancelled: before.cancelled + unstored.cancelled,
      delayMs: before.delayMs + unstored.delayMs,
      executionMs: before.executionMs + unstored.executionMs,
    }
  }

  #lastActiveAt(endpointId: string): number | undefined {
    if (!this.#lastActive.has(endpointId))
      this.#lastActive.set(endpointId, this.#deps.storage.metrics.lastActiveAt(endpointId))
    return this.#lastActive.get(endpointId)
  }

  /** Clients that left before a response count as neither good nor bad. */
  countRequest({ endpointId, status, workerId, waitedMs, durationMs }: EndedRequest): void {
    const step = this.#activeStep(endpointId)
    step.submitted += 1
    if (status !== undefined) step[isFailed({ status, workerId }) ? 'failed' : 'completed'] += 1
    if (workerId === undefined) return
    countDelay(step, waitedMs)
    if (status !== undefined && status !== SWITCHED) countExecution(step, Math.max(0, durationMs - waitedMs))
  }

  #onChanges(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.type === 'endpoint' && change.event === 'deleted') this.#forget(change.endpointId)
      if (change.type !== 'job' || change.event === 'progress') continue
      countChange(this.#activeStep(change.endpointId), change, change.job)
    }
    this.#counted = Math.max(this.#counted, changes.at(-1)?.eventId ?? 0)
  }

  // Another endpoint may get its id before the step is written.
  #forget(endpointId: string): void {
    const known = [this.#open, this.#most, this.#closed, this.#lastActive, this.#quiet, this.#held]
    for (const one of known) one.delete(endpointId)
  }

  #countStart(worker: LiveWorker): void {
    if (!worker.becameReady || worker.adopted || this.#started.has(worker)) return
    this.#started.add(worker)
    this.#stepOf(worker.endpointId).coldStarts += 1
  }

  /** Includes the open step, so that stats and job lists always agree. */
  openSteps(endpointId: string): readonly StepAt[] {
    const open = this.#open.get(endpointId)
    if (open === undefined) return []
    const gauges = this.#gauges(endpointId)
    return [{ at: this.#at, step: { ...stored(open), ...gauges, most: this.#mostOf(endpointId, gauges) } }]
  }

  #stepAt(): number {
    return Math.floor(this.#deps.clock.now() / STEP_MS) * STEP_MS
  }

  // Once per commit and endpoint, because there may be thousands of jobs.
  #noteMost(changes: readonly Change[]): void {
    const changed = new Set<string>()
    for (const change of changes) if (change.type === 'job' || change.type === 'worker') changed.add(change.endpointId)
    for (const id of changed) this.#most.set(id, this.#mostOf(id, this.#gauges(id)))
  }

  #mostOf(endpointId: string, gauges: Gauges): Most {
    const [before, now] = [this.#most.get(endpointId), mostAt(gauges)]
    return before === undefined ? now : higher(before, now)
  }

  #gauges(endpointId: string): Gauges {
    const { counts, storage, workersOf } = this.#deps
    const count = counts.of(endpointId)
    const endpoint = storage.endpoints.get(endpointId)
    return {
      inQueue: waitingJobs(count),
      inProgress: count.inProgress,
      workers: endpoint === undefined ? {} : workersOf(endpoint),
    }
  }

  #activeStep(endpointId: string): OpenStep {
    this.#lastActive.set(endpointId, this.#at)
    return this.#stepOf(endpointId)
  }

  #stepOf(endpointId: string): OpenStep {
    const open = this.#open.get(endpointId)
    if (open !== undefined) return open
    const fresh = emptyStep()
    this.#open.set(endpointId, fresh)
    return fresh
  }

  async #write({ ends = false } = {}): Promise<void> {
    const { storage } = this.#deps
    const [at, counted] = [this.#at, this.#counted]
    const steps = storage.endpoints.all().flatMap(({ id }) => {
      const step = this.#closeStep(id, ends)
      return step === undefined ? [] : [{ id, step }]
    })
    if (steps.length === 0) return
    await storage.write(() => {
      for (const { id, step } of steps) this.#addStep(id, at, step)
      storage.state.set(COUNTED_UP_TO, counted)
    })
  }

  // A quiet endpoint writes one last step with its gauges; the last step before a stop is not held.
  #closeStep(endpointId: string, ends: boolean): Step | undefined {
    const gauges = this.#gauges(endpointId)
    const most = this.#mostOf(endpointId, gauges)
    const open = this.#open.get(endpointId)
    this.#most.set(endpointId, mostAt(gauges))
    if (open !== undefined) this.#closed.set(endpointId, this.#withClosed(endpointId, open))
    this.#open.delete(endpointId)
    const none = Object.values(most).every((count) => count === 0) && Object.keys(gauges.workers).length === 0
    const quiet = open === undefined && none
    if (quiet && this.#quiet.has(endpointId)) return undefined
    if (quiet) this.#quiet.add(endpointId)
    else this.#quiet.delete(endpointId)
    const step = { ...stored(open ?? emptyStep()), ...gauges, most }
    if (open !== undefined || none || ends || JSON.stringify(most) !== JSON.stringify(mostAt(gauges))) {
      this.#held.delete(endpointId)
      return step
    }
    const before = this.#held.get(endpointId)
    const now = { at: this.#at, gauges: JSON.stringify(gauges) }
    if (before?.gauges === now.gauges && now.at < before.at + HELD_MS) return undefined
    this.#held.set(endpointId, now)
    return { ...step, held: true }
  }
}

function emptyStep(): OpenStep {
  return {
    ...{ submitted: 0, completed: 0, failed: 0, retried: 0, coldStarts: 0 },
    ...{ delay: {}, execution: {}, delayMaxMs: 0, executionMaxMs: 0 },
    unstored: { timedOut: 0, cancelled: 0, delayMs: 0, executionMs: 0 },
  }
}

function stored({ unstored: _unstored, ...step }: OpenStep): Omit<OpenStep, 'unstored'> {
  return step
}

function countChange(step: OpenStep, { event, from, to }: JobChange, job: Job | undefined): void {
  const [delayMs, executionMs] = [job?.delayMs ?? null, job?.executionMs ?? null]
  // A job that is retried by hand can fail again.
  if (event === 'submit' || event === 'retry') step.submitted += 1
  if (event === 'rescue') step.retried += 1
  if (to === 'COMPLETED') step.completed += 1
  if (to === 'FAILED' || to === 'TIMED_OUT') step.failed += 1
  if (to === 'TIMED_OUT') step.unstored.timedOut += 1
  if (to === 'CANCELLED') step.unstored.cancelled += 1
  if (event === 'claim' && delayMs !== null) countDelay(step, delayMs)
  if (to !== 'IN_QUEUE' && from === 'IN_PROGRESS' && executionMs !== null) countExecution(step, executionMs)
}

function countDelay(step: OpenStep, ms: number): void {
  count(step.delay, ms)
  step.delayMaxMs = Math.max(step.delayMaxMs, ms)
  step.unstored.delayMs += ms
}

function countExecution(step: OpenStep, ms: number): void {
  count(step.execution, ms)
  step.executionMaxMs = Math.max(step.executionMaxMs, ms)
  step.unstored.executionMs += ms
}

function count(histogram: Record<number, number>, ms: number): void {
  const bucket = bucketOf(ms)
  histogram[bucket] = (histogram[bucket] ?? 0) + 1
}
