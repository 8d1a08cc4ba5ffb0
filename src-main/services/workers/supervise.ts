/**
 * Keeps the workers of every endpoint as scaling wants them: starts and stops them, takes jobs back from lost ones,
 * ends those that do not stop a job, and waits longer after each crash. All decisions are in domain/worker; this is
 * the loop that applies them. It runs when something changed, and when a decision says that time alone will change it.
 */
import { limit } from '../../contract/limits.ts'
import type { CrashLoop } from '../../domain/worker/crash-loop.ts'
import { faultReason, isUsedUp, settingsUnderFaults } from '../../domain/worker/faults.ts'
import { keepPausedMs } from '../../domain/worker/keep-paused.ts'
import { decideScaling } from '../../domain/worker/scaling.ts'
import { GONE, type ScalingDecision } from '../../domain/worker/scaling-facts.ts'
import type { RequestBalancer } from '../load-balanced/balance-requests.ts'
import type { HealthWatch } from '../load-balanced/watch-health.ts'
import type { Change, Endpoint, JobChange } from '../ports.ts'
import { failOverdueJobs } from '../queue/fail-overdue-jobs.ts'
import type { QueueCounts } from '../queue/queue-counts.ts'
import { releaseJobs } from '../queue/release-jobs.ts'
import { rescueLostJobs } from '../queue/rescue-lost-jobs.ts'
import { findCapacity } from './find-capacity.ts'
import { createIdleFreezer, type IdleFreezer } from './idle-freezer.ts'
import { closeJobSpan, openJobSpan } from './job-spans.ts'
import { expiredLeases, overdueStopOrder, silenceReason } from './judge-leases.ts'
import { type StagedWorker, stageWorker, whenEnded } from './stage-worker.ts'
import { strikeForTry } from './strike-worker.ts'
import type { WorkerCalls } from './worker-calls.ts'
import { createWorkerLifecycle, type LifecycleDeps, type WorkerLifecycle } from './worker-lifecycle.ts'
import { type LiveWorker, loadOf, takesJobs } from './worker-registry.ts'

/** What the supervisor needs. */
export type SuperviseDeps = Omit<LifecycleDeps, 'onEnded'> & {
  readonly counts: QueueCounts
  readonly calls: WorkerCalls
  readonly balancer: RequestBalancer
  readonly health: HealthWatch
}

/** State of one endpoint's fleet, for people and health. */
export type FleetStatus = { readonly decision: ScalingDecision | undefined; readonly crashLoop: CrashLoop | undefined }

const TICK_MS = 200
// Decisions for one endpoint are at least this far apart, so that thousands of jobs a second cost few of them.
const SETTLE_MS = 20

const inService = (workers: readonly LiveWorker[]) => workers.filter(({ staged }) => !staged)

/** The loop over all workers. */
export class WorkerSupervisor {
  readonly #deps: SuperviseDeps
  readonly #lifecycle: WorkerLifecycle
  readonly #freezer: IdleFreezer
  readonly #decisions = new Map<string, ScalingDecision>()
  readonly #checks = new Map<string, { readonly at: number; readonly cancel: () => void }>()
  readonly #lastCheck = new Map<string, number>()
  readonly #starting = new Set<Promise<void>>()
  readonly #givingWay = new Set<string>()
  #stopTicking: (() => void) | undefined
  #stopping = false

  constructor(deps: SuperviseDeps) {
    this.#deps = deps
    this.#lifecycle = createWorkerLifecycle({ ...deps, onEnded: (worker) => this.#workerEnded(worker) })
    this.#freezer = createIdleFreezer(deps, (worker, reason, error) => this.#endUnfrozen(worker, reason, error))
    deps.storage.onCommit((changes) => this.#hear(changes))
    deps.fleet.onCapacity(() => this.#checkThrottled())
  }

  /** Begins to look after the workers. */
  start(): void {
    if (this.#stopTicking !== undefined) return
    this.#tick()
    for (const endpoint of this.#deps.storage.endpoints.all()) this.check(endpoint.id)
  }

  /** Stops all workers: running jobs may end within the grace time, the rest is queued again. Waits for all of it. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true
    this.#stopTicking?.()
    for (const { cancel } of this.#checks.values()) cancel()
    this.#checks.clear()
    const closed = this.#lifecycle.close()
    await Promise.allSettled([...this.#starting])
    const { registry, leases } = this.#deps
    await Promise.all(registry.all().map((worker) => this.stopWorker(worker, 'the service stops', graceMs)))
    await closed
    await releaseJobs(this.#deps, [...leases.all()], 'the service stopped before the job had ended')
  }

  /** How the fleet of an endpoint stands. */
  status(endpointId: string): FleetStatus {
    return { decision: this.#decisions.get(endpointId), crashLoop: this.#crashLoop(endpointId) }
  }

  /** Forgets the crashes of an endpoint, so that the next worker starts at once. */
  forgetCrashes(endpointId: string): void {
    this.#lifecycle.history.forget(endpointId)
    this.check(endpointId)
  }

  /**
   * Stops a worker: SIGTERM now, the end of it with all its children when the grace time is over. A load-balanced one
   * first ends its open requests within that time: many servers cut them off on SIGTERM.
   */
  async stopWorker(worker: LiveWorker, reason: string, graceMs: number): Promise<void> {
    const { registry, balancer, clock } = this.#deps
    const until = clock.steady() + graceMs
    if (worker.openRequests > 0 && graceMs > 0) {
      worker.ordered = true
      registry.apply(worker, 'drain', reason)
      await balancer.whenAnswered(worker, graceMs)
    }
    await this.#lifecycle.stop(worker, reason, Math.max(0, until - clock.steady()))
  }

  /**
   * Starts a worker with settings that its endpoint does not have yet, or of an endpoint that is not there yet. It takes
   * nothing until it is promoted.
   * @param endpoint as it will be, with the revision it will have
   * @throws Error with the reason when the worker does not become ready, or the signal gives it up
   */
  stage(endpoint: Endpoint, signal?: AbortSignal): Promise<StagedWorker> {
    return stageWorker({ ...this.#deps, lifecycle: this.#lifecycle }, endpoint, signal)
  }

  /**
   * Lets workers of an endpoint go after their jobs, one after the other until it is enough, and starts no other one until
   * the function that is returned is called: the place is for a staged one. A signal that aborts ends the waiting.
   */
  async giveWay(endpointId: string, isEnough: () => boolean, signal: AbortSignal): Promise<() => void> {
    this.#givingWay.add(endpointId)
    while (!isEnough() && !signal.aborted) {
      const workers = inService(this.#deps.registry.ofEndpoint(endpointId))
      const leaving = workers.find(({ state }) => state === 'idle' || state === 'paused') ?? workers[0]
      if (leaving === undefined) break
      this.leave(leaving.id, 'a new release needs its place', false)
      await whenEnded(this.#deps, leaving, signal)
    }
    return () => {
      this.#givingWay.delete(endpointId)
      this.check(endpointId)
    }
  }

  /** Looks at an endpoint soon: at once after a quiet time, else a little later. */
  check(endpointId: string): void {
    const now = this.#deps.clock.steady()
    this.#checkAt(endpointId, Math.max(now, (this.#lastCheck.get(endpointId) ?? Number.NEGATIVE_INFINITY) + SETTLE_MS))
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

  #hear(changes: readonly Change[]): void {
    const touched = new Set<string>()
    for (const change of changes) {
      if (change.type === 'job' && change.event !== 'progress') this.#hearJob(change)
      if (change.type !== 'worker') touched.add(change.endpointId)
      if (change.type === 'endpoint' && change.event !== 'paused') this.#lifecycle.history.forget(change.endpointId)
      // What was made ready has the old settings.
      if (change.type === 'endpoint' && change.event === 'updated') this.#discardPrepared(change.endpointId)
    }
    for (const endpointId of touched) this.check(endpointId)
  }

  #hearJob(change: JobChange): void {
    const { registry, calls } = this.#deps
    const worker = change.workerId === undefined ? undefined : registry.get(change.workerId)
    if (worker === undefined) return
    if (change.event === 'claim') {
      registry.apply(worker, 'takeJob')
      this.#freezer.thaw(worker)
      openJobSpan(worker, change.jobId, change.at)
      this.#run(strikeForTry(this.#deps, worker, change), 'worker not killed by a fault switch')
    }
    if (change.from !== 'IN_PROGRESS') return
    if (change.event === 'complete' || change.event === 'fail') {
      worker.jobsDone += 1
      // An error of a job that has ended is not why the worker ends later.
      worker.lastLines.length = 0
    }
    if (change.event === 'cancel' || change.event === 'expire' || change.event === 'exceedExecution') {
      calls.orderStop(worker, { jobId: change.jobId, seq: change.seq, graceMs: this.#graceOf(worker) })
    } else closeJobSpan(worker, change.jobId, change.at)
    if (loadOf(worker, this.#deps.leases) === 0) registry.apply(worker, 'becomeIdle')
  }

  #workerEnded({ endpointId }: LiveWorker): void {
    this.#lastCheck.delete(endpointId)
    this.check(endpointId)
    this.#checkThrottled() // its place is free for others
  }

  #checkThrottled(): void {
    for (const [endpointId, { throttled }] of this.#decisions) if (throttled > 0) this.check(endpointId)
  }

  #tick(): void {
    this.#stopTicking = this.#deps.clock.after(TICK_MS, () => {
      this.#judgeLeases()
      this.#judgeStopOrders()
      this.#tick()
    })
  }

  #judgeLeases(): void {
    const { leases, clock } = this.#deps
    const { overdue, silent } = expiredLeases(leases, clock.steady())
    this.#run(failOverdueJobs(this.#deps, overdue), 'overdue jobs not failed')
    for (const workerId of silent) this.#loseWorker(workerId)
  }

  #loseWorker(workerId: string): void {
    const { leases, registry, clock } = this.#deps
    const held = leases.ofWorker(workerId)
    const reason = silenceReason(workerId, held)
    // Looked at again after a full lease, should this write fail.
    for (const lease of held) lease.until = clock.steady() + limit('leaseMs')
    // A worker whose engine went away is not to blame, and its jobs lose no try.
    const takeBack = this.#deps.fleet.isAway(workerId) ? releaseJobs : rescueLostJobs
    this.#run(takeBack(this.#deps, held, reason), 'lost jobs not taken back')
    const worker = registry.get(workerId)
    if (worker === undefined) return
    registry.apply(worker, 'markUnhealthy', reason)
    this.#run(this.stopWorker(worker, reason, this.#graceOf(worker)), 'silent worker not stopped')
  }

  #judgeStopOrders(): void {
    const now = this.#deps.clock.steady()
    for (const worker of this.#deps.registry.all()) {
      const reason = overdueStopOrder(worker, now)
      if (reason === undefined) continue
      worker.stopOrders.clear()
      this.#run(this.stopWorker(worker, reason, 0), 'worker not stopped')
    }
  }

  #reconcile(endpointId: string): void {
    const { clock, storage, registry, log } = this.#deps
    if (this.#stopping) return
    this.#lastCheck.set(endpointId, clock.steady())
    const endpoint = storage.endpoints.get(endpointId)
    if (endpoint?.config.faults?.coldStart === true) this.#endUsedUp(endpoint)
    this.#lifecycle.countFailures(endpointId)
    const decision = this.#decide(endpointId, endpoint)
    this.#decisions.set(endpointId, decision)
    for (const { workerId, reason, force, failed } of decision.stop) {
      if (failed === true) this.#lifecycle.fail(workerId, reason)
      this.leave(workerId, reason, force === true)
    }
    for (const worker of inService(registry.ofEndpoint(endpointId))) this.#endIfDone(worker)
    for (const workerId of decision.pause ?? []) this.#pause(workerId)
    for (const workerId of decision.resume ?? []) this.#resume(workerId)
    for (const worker of registry.ofEndpoint(endpointId)) this.#deps.health.watch(worker)
    this.#deps.balancer.dispatch(endpointId)
    // Others need not make room where a fault switch keeps the place.
    if (decision.throttled > 0 && endpoint?.config.faults?.throttle !== true) this.#makeRoom(endpointId)
    if (endpoint === undefined) {
      this.#decisions.delete(endpointId)
      this.#discardPrepared(endpointId)
      return
    }
    for (let n = 0; n < decision.start && !this.#givingWay.has(endpointId); n++) {
      const starting = this.#lifecycle
        .start(endpoint)
        .then(() => this.check(endpointId)) // its health can be watched now
        .catch((error) => log.error('worker not started', { endpointId, error }))
        .finally(() => this.#starting.delete(starting))
      this.#starting.add(starting)
    }
    for (const at of [decision.nextCheckAt, this.#freezer.settle(endpoint)])
      if (at !== undefined) this.#checkAt(endpointId, Math.max(at, clock.steady() + SETTLE_MS))
  }

  #decide(endpointId: string, endpoint: Endpoint | undefined): ScalingDecision {
    const { clock, counts, fleet, registry } = this.#deps
    const now = clock.steady()
    const count = counts.of(endpointId)
    const config = endpoint && settingsUnderFaults(endpoint.config)
    const { free, reason, never } = findCapacity(fleet, config)
    return decideScaling({
      config: config ?? GONE,
      keepPausedMs: config === undefined ? 0 : keepPausedMs(config),
      paused: endpoint?.paused ?? true,
      stopping: endpoint === undefined,
      queue: { ...count, oldestNormalWaitMs: count.normal === 0 ? 0 : this.#oldestWaitMs(endpointId) },
      workers: inService(registry.ofEndpoint(endpointId)).map((worker) => ({
        id: worker.id,
        state: worker.state,
        startedAt: worker.startedAt,
        progressAt: worker.progressAt,
        idleSince: worker.idleSince,
        pausedSince: worker.pausedSince,
        resumedAt: worker.resumedAt,
        jobs: loadOf(worker, this.#deps.leases),
        outdated: worker.replace || (worker.standsInFor ?? worker.revision) !== endpoint?.revision,
        mayRecover: worker.mayRecover,
      })),
      freePlaces: free,
      noCapacityReason: reason,
      neverCapacity: never,
      backOffUntil: this.#crashLoop(endpointId)?.backOffUntil,
      now,
    })
  }

  // An endpoint has waiting jobs or waiting requests, never both.
  #oldestWaitMs(endpointId: string): number {
    const { storage, clock, balancer } = this.#deps
    const job = storage.jobs.oldestWaiting(endpointId, 0)
    return job === undefined ? balancer.oldestWaitMs(endpointId) : clock.steady() - job.queuedAt
  }

  /** Lets a worker go: it takes nothing more and is ended when its last job is. With force it is ended now. */
  leave(workerId: string, reason: string, force: boolean): void {
    const worker = this.#deps.registry.get(workerId)
    if (worker === undefined) return
    if (force) {
      this.#run(this.stopWorker(worker, reason, 0), 'worker not stopped')
      return
    }
    worker.ordered = true
    if (this.#deps.registry.apply(worker, 'drain', reason)) this.#deps.balancer.drain(worker, this.#graceOf(worker))
    this.#endIfDone(worker)
  }

  #endUsedUp({ id, config }: Endpoint): void {
    for (const worker of inService(this.#deps.registry.ofEndpoint(id)))
      if (takesJobs(worker) && isUsedUp(config.faults, worker) && loadOf(worker, this.#deps.leases) === 0)
        this.leave(worker.id, faultReason('coldStart'), false)
  }

  #pause(workerId: string): void {
    const { registry, leases, fleet } = this.#deps
    const worker = registry.get(workerId)
    // A job may have come since the decision's facts were read.
    if (worker === undefined || loadOf(worker, leases) > 0 || !registry.apply(worker, 'pause', 'idle')) return
    fleet.pause(workerId).catch((error) => this.#endUnfrozen(worker, 'could not be paused', error))
  }

  #resume(workerId: string): void {
    const { registry, fleet, storage, calls } = this.#deps
    const worker = registry.get(workerId)
    if (worker === undefined || !registry.apply(worker, 'resume')) return
    fleet.resume(workerId).catch((error) => this.#endUnfrozen(worker, 'could not be woken', error))
    calls.goOn(workerId)
    storage.poke() // its request for a job may still be open
    this.check(worker.endpointId) // it may be idle from here on
  }

  #endUnfrozen(worker: LiveWorker, reason: string, error: unknown): void {
    this.#deps.log.warn(`worker ${reason}`, { workerId: worker.id, error })
    this.#run(this.stopWorker(worker, reason, 0), 'worker not stopped')
  }

  // Paused workers hold a place, and those of others are worth less than one that is wanted now.
  #makeRoom(endpointId: string): void {
    const frozen = this.#deps.registry
      .all()
      .filter((worker) => worker.state === 'paused' && worker.endpointId !== endpointId)
      .toSorted((a, b) => (a.pausedSince ?? 0) - (b.pausedSince ?? 0))
    const [longest] = frozen
    if (longest !== undefined) this.leave(longest.id, 'another endpoint needs its place', false)
  }

  #endIfDone(worker: LiveWorker): void {
    if (worker.state !== 'stopping' || worker.told || loadOf(worker, this.#deps.leases) > 0) return
    this.#run(this.stopWorker(worker, worker.reason ?? 'it is done', this.#graceOf(worker)), 'worker not stopped')
  }

  #crashLoop(endpointId: string): CrashLoop | undefined {
    return this.#lifecycle.history.crashLoop(endpointId, this.#deps.clock.steady())
  }

  #discardPrepared(endpointId: string): void {
    this.#run(this.#lifecycle.discardPrepared(endpointId), 'prepared workers not thrown away')
  }

  #graceOf(worker: LiveWorker): number {
    return this.#deps.storage.endpoints.get(worker.endpointId)?.config.stopGraceMs ?? limit('stopGraceMs')
  }

  #run(work: Promise<unknown> | undefined, failure: string): void {
    work?.catch((error) => this.#deps.log.error(failure, { error }))
  }
}
