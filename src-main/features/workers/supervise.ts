import { WORKER_POOLS, type WorkerPool } from '../../contract/endpoint.ts'
import type { Change, Endpoint, JobChange } from '../../storage/storage.ts'
import { requeueJobs } from '../jobs/queue/lost-and-overdue-jobs.ts'
import type { QueueCounts } from '../jobs/queue/queue-counts.ts'
import type { RequestBalancer } from '../load-balancing/balance-requests.ts'
import type { HealthWatch } from '../load-balancing/watch-health.ts'
import { createWorkerEnding, type WorkerEnding } from './end-workers.ts'
import { injectKillForTry } from './inject-faults.ts'
import { createIdlePausing, type IdlePausing } from './pause-idle.ts'
import { readScalingFacts, workersInService } from './read-scaling-facts.ts'
import type { FleetStatus, FleetStatuses, ScalingSignal } from './registry/fleet-status.ts'
import { beginJob, endJob, type LiveWorker, loadOf } from './registry/worker-registry.ts'
import { sharingOf } from './rules/pools.ts'
import { decideScaling, nextDecisionAt, startReason } from './rules/scaling.ts'
import type { ScalingDecision } from './rules/scaling-facts.ts'
import { type StagedWorker, type Staging, stageWorker, whenEnded } from './stage-worker.ts'
import { createLeaseWatch, type LeaseWatch } from './watch-leases.ts'
import type { WorkerCalls } from './worker-calls.ts'
import {
  createWorkerLifecycle,
  type LifecycleDeps,
  type WorkerLifecycle,
  type WorkerStart,
} from './worker-lifecycle.ts'

export type SuperviseDeps = Omit<LifecycleDeps, 'onEnded'> & {
  readonly counts: QueueCounts
  readonly calls: WorkerCalls
  readonly balancer: RequestBalancer
  readonly health: HealthWatch
  readonly status: FleetStatuses
  readonly scaling: Pick<ScalingSignal, 'onNotify'>
}

export class WorkerSupervisor {
  readonly #deps: SuperviseDeps
  readonly #lifecycle: WorkerLifecycle
  readonly #ending: WorkerEnding
  readonly #idle: IdlePausing
  readonly #leaseWatch: LeaseWatch
  readonly #checks = new Map<string, { readonly at: number; readonly cancel: () => void }>()
  readonly #lastCheck = new Map<string, number>()
  readonly #starting = new Set<Promise<void>>()
  readonly #givingWay = new Set<string>()
  #stopping = false

  constructor(deps: SuperviseDeps) {
    this.#deps = deps
    this.#lifecycle = createWorkerLifecycle({ ...deps, onEnded: (worker) => this.#workerEnded(worker) })
    this.#ending = createWorkerEnding({ ...deps, lifecycle: this.#lifecycle })
    this.#idle = createIdlePausing({ ...deps, ending: this.#ending })
    this.#leaseWatch = createLeaseWatch({ ...deps, ending: this.#ending })
    deps.storage.onCommit((changes) => this.#onChanges(changes))
    deps.fleet.onCapacity(() => {
      this.#checkThrottled()
      for (const { endpointId } of deps.registry.all()) this.check(endpointId)
    })
    deps.scaling.onNotify((endpointId) => this.check(endpointId))
  }

  start(): void {
    if (!this.#leaseWatch.start()) return
    for (const endpoint of this.#deps.storage.endpoints.all()) this.check(endpoint.id)
  }

  /** Running jobs get the grace time, then are requeued. Waits for everything. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true
    this.#leaseWatch.stop()
    for (const { cancel } of this.#checks.values()) cancel()
    this.#checks.clear()
    const closed = this.#lifecycle.close()
    await Promise.allSettled([...this.#starting])
    const { registry, leases } = this.#deps
    await Promise.all(registry.all().map((worker) => this.#ending.stop(worker, 'the service stops', graceMs)))
    await closed
    await requeueJobs(this.#deps, [...leases.all()], 'the service stopped before the job had ended')
    // Workers on an unreachable machine: the next start ends them, because their jobs were requeued.
    const { storage } = this.#deps
    await storage.write(() => {
      for (const { id } of registry.all()) storage.workers.remove(id)
    })
  }

  hurry(): void {
    for (const worker of this.#deps.registry.all()) this.#ending.begin(worker, 'the service stops now', 0)
  }

  status(endpointId: string): FleetStatus {
    return this.#deps.status.of(endpointId)
  }

  forgetCrashes(endpointId: string): void {
    this.#deps.history.forget(endpointId)
    this.check(endpointId)
  }

  forgetCode(endpointId: string): void {
    this.#discardPrepared(endpointId)
    this.forgetCrashes(endpointId)
  }

  stopWorker(worker: LiveWorker, reason: string, graceMs: number): Promise<void> {
    return this.#ending.stop(worker, reason, graceMs)
  }

  leave(workerId: string, reason: string, force: boolean): void {
    this.#ending.leave(workerId, reason, force)
  }

  /**
   * Starts a worker with settings, or for an endpoint, not yet stored; it takes no jobs until promoted.
   * @param endpoint with its future revision
   * @throws Error with the reason if it does not become ready or is aborted
   */
  async stage(endpoint: Endpoint, how: Staging): Promise<StagedWorker> {
    const staged = await stageWorker({ ...this.#deps, lifecycle: this.#lifecycle }, endpoint, how)
    const promote = () => {
      staged.promote()
      // The check of the commit may have come before, without this worker.
      this.check(endpoint.id)
    }
    return { ...staged, promote }
  }

  async giveWay(endpointId: string, isEnough: () => boolean, signal: AbortSignal): Promise<() => void> {
    this.#givingWay.add(endpointId)
    while (!isEnough() && !signal.aborted) {
      const workers = workersInService(this.#deps.registry, endpointId)
      const leaving = workers.find(({ state }) => state === 'idle' || state === 'paused') ?? workers[0]
      if (leaving === undefined) break
      this.leave(leaving.id, 'a new release needs its slot', false)
      await whenEnded(this.#deps, leaving, signal)
    }
    return () => {
      this.#givingWay.delete(endpointId)
      this.check(endpointId)
    }
  }

  check(endpointId: string): void {
    this.#checkAt(endpointId, nextDecisionAt(this.#deps.clock.steady(), this.#lastCheck.get(endpointId)))
  }

  #checkAt(endpointId: string, at: number): void {
    if (this.#stopping) return
    const planned = this.#checks.get(endpointId)
    if (planned !== undefined && planned.at <= at) return
    planned?.cancel()
    const cancel = this.#deps.clock.after(Math.max(0, at - this.#deps.clock.steady()), () => {
      this.#checks.delete(endpointId)
      this.#reconcile(endpointId)
    })
    this.#checks.set(endpointId, { at, cancel })
  }

  #onChanges(changes: readonly Change[]): void {
    const touched = new Set<string>()
    for (const change of changes) {
      if (change.type === 'job' && change.event !== 'progress') this.#hearJob(change)
      if (change.type !== 'worker') touched.add(change.endpointId)
      if (change.type === 'endpoint' && change.event !== 'paused') this.#deps.history.forget(change.endpointId)
      if (change.type === 'endpoint' && change.event === 'updated') this.#discardPrepared(change.endpointId)
    }
    for (const endpointId of touched) this.check(endpointId)
  }

  #hearJob(change: JobChange): void {
    const { registry, calls, leases, log } = this.#deps
    const worker = change.workerId === undefined ? undefined : registry.get(change.workerId)
    if (worker === undefined) return
    if (change.event === 'claim') {
      this.#idle.thaw(worker)
      registry.move(worker, 'takeJob')
      registry.note(worker, beginJob(worker, change.jobId, change.at))
      injectKillForTry(this.#deps, worker, change)?.catch((error) =>
        log.error('worker not killed by a fault switch', { workerId: worker.id, error }),
      )
    }
    if (change.from !== 'IN_PROGRESS') return
    if (change.event === 'complete' || change.event === 'fail') {
      // The error of an ended job does not explain a later end of the worker.
      registry.note(worker, { jobsDone: worker.jobsDone + 1, lastLines: [] })
    }
    if (change.event === 'cancel' || change.event === 'expire' || change.event === 'exceedExecution') {
      calls.orderStop(worker, { jobId: change.jobId, seq: change.seq, graceMs: this.#ending.graceOf(worker) })
    } else registry.note(worker, endJob(worker, change.jobId, change.at))
    if (loadOf(worker, leases) === 0) registry.move(worker, 'becomeIdle')
  }

  #workerEnded({ endpointId }: LiveWorker): void {
    this.#lastCheck.delete(endpointId)
    this.check(endpointId)
    this.#checkThrottled()
  }

  #checkThrottled(): void {
    for (const pool of WORKER_POOLS)
      for (const [endpointId] of this.#deps.status.throttled(pool)) this.check(endpointId)
  }

  #reconcile(endpointId: string): void {
    const { clock, storage, registry, health, balancer } = this.#deps
    if (this.#stopping) return
    this.#lastCheck.set(endpointId, clock.steady())
    const endpoint = storage.endpoints.get(endpointId)
    if (endpoint?.config.faults?.coldStart === true) this.#ending.endUsedUp(endpoint)
    this.#lifecycle.countFailures(endpointId)
    this.#noteAway(endpointId)
    const checks = WORKER_POOLS.map((pool) => this.#scale(endpointId, endpoint, pool))
    for (const worker of workersInService(registry, endpointId)) this.#ending.endIfDone(worker)
    for (const workerId of balancer.toResume(endpointId)) if (this.#idle.resume(workerId)) this.check(endpointId)
    for (const worker of registry.ofEndpoint(endpointId)) health.watch(worker)
    balancer.dispatch(endpointId)
    if (endpoint === undefined) {
      for (const pool of WORKER_POOLS) this.#deps.status.decided(endpointId, pool, undefined)
      this.#discardPrepared(endpointId)
      return
    }
    for (const at of [...checks, this.#idle.settle(endpoint)])
      if (at !== undefined) this.#checkAt(endpointId, nextDecisionAt(at, clock.steady()))
  }

  /** @returns when time alone changes the decision, steady ms */
  #scale(endpointId: string, endpoint: Endpoint | undefined, pool: WorkerPool): number | undefined {
    const { status, storage } = this.#deps
    const before = status.of(endpointId)
    const facts = readScalingFacts(this.#deps, endpointId, { endpoint, pool, status: before })
    const decision = decideScaling(facts)
    status.decided(endpointId, pool, decision)
    this.#applyToWorkers(endpointId, decision)
    if (endpoint === undefined) return undefined
    const { config } = endpoint
    if (pool === 'main' && decision.throttled > 0 && config.faults?.throttle !== true)
      this.#ending.makeRoom(endpoint, decision)
    if (pool === 'batch' && sharingOf(config, decision) !== sharingOf(config, before.batch.decision)) {
      this.check(endpointId)
      storage.poke()
    }
    if (!this.#givingWay.has(endpointId))
      this.#startWorkers(endpoint, decision.start, { pool, because: startReason(facts, workOf(endpoint)) })
    return decision.nextCheckAt
  }

  #applyToWorkers(endpointId: string, { stop, pause = [], resume = [] }: ScalingDecision): void {
    for (const { workerId, reason, force, failed } of stop) {
      if (failed === true) this.#lifecycle.fail(workerId, reason)
      this.leave(workerId, reason, force === true)
    }
    for (const workerId of pause) this.#idle.pause(workerId)
    for (const workerId of resume) if (this.#idle.resume(workerId)) this.check(endpointId)
  }

  // Time on an unreachable machine does not count as start time.
  #noteAway(endpointId: string): void {
    const { registry, fleet, clock } = this.#deps
    for (const worker of registry.ofEndpoint(endpointId)) {
      const isAway = fleet.isAway(worker.id)
      if (isAway !== worker.isAway) registry.note(worker, { isAway, ...(isAway ? {} : { backAt: clock.steady() }) })
    }
  }

  #startWorkers(endpoint: Endpoint, count: number, how: Pick<WorkerStart, 'pool' | 'because'>): void {
    const { id: endpointId } = endpoint
    for (let n = 0; n < count; n++) {
      const starting = this.#lifecycle
        .start(endpoint, { begins: 'serve', ...how })
        .then(() => this.check(endpointId))
        .catch((error) => this.#deps.log.error('worker not started', { endpointId, error }))
        .finally(() => this.#starting.delete(starting))
      this.#starting.add(starting)
    }
  }

  #discardPrepared(endpointId: string): void {
    this.#lifecycle
      .discardPrepared(endpointId)
      .catch((error) => this.#deps.log.error('prepared workers not thrown away', { endpointId, error }))
  }
}

const workOf = ({ config }: Endpoint) => (config.loadBalanced === undefined ? 'job' : 'request')
