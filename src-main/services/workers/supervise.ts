/**
 * Keeps the workers of every endpoint as scaling wants them: starts and stops them, takes jobs back from lost ones,
 * ends those that do not stop a job, and waits longer after each crash. All decisions are in domain/worker; this is
 * the loop that applies them. It runs when something changed, and when a decision says that time alone will change it.
 */
import { limit } from '../../contract/limits.ts'
import { type CrashLoop, type WorkerExit as JudgedExit, judgeCrashLoop } from '../../domain/worker/crash-loop.ts'
import { lastWords } from '../../domain/worker/last-words.ts'
import { decideScaling } from '../../domain/worker/scaling.ts'
import type { ScalingDecision } from '../../domain/worker/scaling-facts.ts'
import type { Change, Clock, Endpoint, Fleet, Job, Log, NewId, Storage, WorkerExit } from '../ports.ts'
import type { Lease, Leases } from '../queue/leases.ts'
import type { ParkedTakes } from '../queue/parked-takes.ts'
import type { QueueCounts } from '../queue/queue-counts.ts'
import { failOverdueJobs, releaseJobs, rescueLostJobs } from '../queue/rescue-lost-jobs.ts'
import type { WorkerCalls } from './worker-calls.ts'
import type { LiveWorker, WorkerRegistry } from './worker-registry.ts'

/** What the supervisor needs. */
export type SuperviseDeps = {
  readonly storage: Storage
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly fleet: Fleet
  readonly counts: QueueCounts
  readonly leases: Leases
  readonly takes: ParkedTakes
  readonly registry: WorkerRegistry
  readonly calls: WorkerCalls
  /** Makes what the fleet needs to start a worker of this endpoint. */
  readonly specOf: (endpoint: Endpoint, workerId: string, token: string) => Parameters<Fleet['start']>[0]
}

/** State of one endpoint's fleet, for people and health. */
export type FleetStatus = { readonly decision: ScalingDecision | undefined; readonly crashLoop: CrashLoop | undefined }

const TICK_MS = 200
// Decisions for one endpoint are at least this far apart, so that thousands of jobs a second cost few of them.
const SETTLE_MS = 20
const EXITS_KEPT = 30

/** The loop over all workers. */
export class WorkerSupervisor {
  readonly #deps: SuperviseDeps
  readonly #exits = new Map<string, JudgedExit[]>()
  readonly #decisions = new Map<string, ScalingDecision>()
  readonly #checks = new Map<string, { readonly at: number; readonly cancel: () => void }>()
  readonly #lastCheck = new Map<string, number>()
  readonly #starting = new Set<Promise<void>>()
  #stopTicking: (() => void) | undefined
  #stopping = false

  constructor(deps: SuperviseDeps) {
    this.#deps = deps
    deps.storage.onCommit((changes) => this.#hear(changes))
    deps.fleet.onExit((exit) => this.#workerExited(exit))
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
    await Promise.allSettled([...this.#starting])
    await Promise.all(this.#deps.registry.all().map((worker) => this.stopWorker(worker, 'the service stops', graceMs)))
    const left = [...this.#deps.leases.all()]
    await releaseJobs(this.#deps, left, 'the service stopped before the job had ended')
  }

  /** How the fleet of an endpoint stands. */
  status(endpointId: string): FleetStatus {
    return { decision: this.#decisions.get(endpointId), crashLoop: this.#crashLoop(endpointId) }
  }

  /** Forgets the crashes of an endpoint, so that the next worker starts at once. */
  forgetCrashes(endpointId: string): void {
    this.#exits.delete(endpointId)
    this.check(endpointId)
  }

  /** Looks at an endpoint soon: at once after a quiet time, else a little later. */
  check(endpointId: string): void {
    const { clock } = this.#deps
    const since = clock.steady() - (this.#lastCheck.get(endpointId) ?? Number.NEGATIVE_INFINITY)
    this.#checkAt(endpointId, clock.steady() + Math.max(0, SETTLE_MS - since))
  }

  /** Stops a worker: SIGTERM now, the end of it with all its children when the grace time is over. */
  async stopWorker(worker: LiveWorker, reason: string, graceMs: number): Promise<void> {
    const { registry, fleet, takes } = this.#deps
    worker.ordered = true
    worker.told = true
    registry.apply(worker, 'drain', reason)
    const stopped = fleet.stop(worker.id, graceMs)
    takes.dismiss(worker.id) // else it would wait for its open call before it ends
    await stopped
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
      if (change.type === 'endpoint' && change.event === 'deleted') this.#exits.delete(change.endpointId)
    }
    for (const endpointId of touched) this.check(endpointId)
  }

  #hearJob(change: Extract<Change, { type: 'job' }>): void {
    const { registry, leases, calls, storage } = this.#deps
    const worker = change.workerId === undefined ? undefined : registry.get(change.workerId)
    if (worker === undefined) return
    if (change.event === 'claim') return void registry.apply(worker, 'takeJob')
    if (change.from !== 'IN_PROGRESS') return
    if (change.event === 'complete' || change.event === 'fail') worker.jobsDone += 1
    if (change.event === 'cancel' || change.event === 'expire' || change.event === 'exceedExecution') {
      const graceMs = storage.endpoints.get(change.endpointId)?.config.stopGraceMs ?? limit('stopGraceMs')
      calls.orderStop(worker, { jobId: change.jobId, seq: change.seq, graceMs })
    }
    if (worker.stopOrders.size === 0 && leases.ofWorker(worker.id).length === 0) registry.apply(worker, 'becomeIdle')
  }

  #tick(): void {
    this.#stopTicking = this.#deps.clock.after(TICK_MS, () => {
      this.#judgeLeases()
      this.#judgeStopOrders()
      this.#tick()
    })
  }

  #judgeLeases(): void {
    const now = this.#deps.clock.steady()
    const overdue: Lease[] = []
    const silent = new Set<string>()
    for (const lease of this.#deps.leases.all()) {
      if (now >= lease.executeUntil) overdue.push(lease)
      else if (now >= lease.until) silent.add(lease.workerId)
    }
    this.#run(failOverdueJobs(this.#deps, overdue), 'overdue jobs not failed')
    for (const workerId of silent) this.#loseWorker(workerId)
  }

  #loseWorker(workerId: string): void {
    const { leases, registry } = this.#deps
    const held = leases.ofWorker(workerId)
    const confirmed = held.some((lease) => lease.confirmed)
    const reason = confirmed
      ? `worker ${workerId} gave no sign of life for ${limit('leaseMs') / 1000} s`
      : `worker ${workerId} never said that it runs the job`
    for (const lease of held) lease.until = Number.POSITIVE_INFINITY // judged once
    this.#run(rescueLostJobs(this.#deps, held, reason), 'lost jobs not rescued')
    const worker = registry.get(workerId)
    if (worker === undefined) return
    registry.apply(worker, 'markUnhealthy', reason)
    this.#run(this.stopWorker(worker, reason, this.#graceOf(worker)), 'silent worker not stopped')
  }

  #judgeStopOrders(): void {
    const now = this.#deps.clock.steady()
    for (const worker of this.#deps.registry.all()) {
      const overdue = [...worker.stopOrders].find(([, order]) => now >= order.until)
      if (overdue === undefined) continue
      const reason = `job ${overdue[0]} did not stop within its grace time`
      worker.stopOrders.clear()
      this.#run(this.stopWorker(worker, reason, 0), 'worker not stopped')
    }
  }

  #reconcile(endpointId: string): void {
    const { clock, storage, log } = this.#deps
    if (this.#stopping) return
    this.#lastCheck.set(endpointId, clock.steady())
    const endpoint = storage.endpoints.get(endpointId)
    const decision = this.#decide(endpointId, endpoint)
    this.#decisions.set(endpointId, decision)
    for (const { workerId, reason, force } of decision.stop) this.#leave(workerId, reason, force === true)
    for (const worker of this.#deps.registry.ofEndpoint(endpointId)) this.#endIfDone(worker)
    if (endpoint === undefined) return
    for (let n = 0; n < decision.start; n++) {
      const starting = this.#startWorker(endpoint).catch((error) =>
        log.error('worker not started', { endpointId, error }),
      )
      this.#starting.add(starting)
      starting.finally(() => this.#starting.delete(starting))
    }
    if (decision.nextCheckAt !== undefined)
      this.#checkAt(endpointId, Math.max(decision.nextCheckAt, clock.steady() + SETTLE_MS))
  }

  #decide(endpointId: string, endpoint: Endpoint | undefined): ScalingDecision {
    const { clock, counts, fleet, registry, leases, storage } = this.#deps
    const now = clock.steady()
    const count = counts.of(endpointId)
    const oldest = count.normal > 0 ? storage.jobs.oldestWaiting(endpointId, 0) : undefined
    const { free, reason } = fleet.capacity()
    return decideScaling({
      config: endpoint?.config ?? {
        workersMin: 0,
        workersMax: 0,
        idleTimeoutMs: 0,
        concurrency: 1,
        scaler: { type: 'QUEUE_DELAY', value: 0 },
        initializingTimeoutMs: 1000,
      },
      paused: endpoint?.paused ?? true,
      stopping: endpoint === undefined,
      queue: { ...count, oldestNormalWaitMs: oldest === undefined ? 0 : now - oldest.queuedAt },
      workers: registry.ofEndpoint(endpointId).map((worker) => ({
        id: worker.id,
        state: worker.state,
        startedAt: worker.startedAt,
        idleSince: worker.idleSince,
        jobs: leases.ofWorker(worker.id).length + worker.stopOrders.size,
        outdated: worker.replace || worker.revision !== endpoint?.revision,
      })),
      freePlaces: free,
      noCapacityReason: reason,
      backOffUntil: this.#crashLoop(endpointId)?.backOffUntil,
      now,
    })
  }

  // A worker that leaves without force takes nothing more and is ended when its last job is.
  #leave(workerId: string, reason: string, force: boolean): void {
    const worker = this.#deps.registry.get(workerId)
    if (worker === undefined) return
    if (force) return this.#run(this.stopWorker(worker, reason, 0), 'worker not stopped')
    worker.ordered = true
    this.#deps.registry.apply(worker, 'drain', reason)
    this.#endIfDone(worker)
  }

  #endIfDone(worker: LiveWorker): void {
    const { leases } = this.#deps
    if (worker.state !== 'stopping' || worker.told) return
    if (leases.ofWorker(worker.id).length + worker.stopOrders.size > 0) return
    this.#run(this.stopWorker(worker, worker.reason ?? 'it is done', this.#graceOf(worker)), 'worker not stopped')
  }

  async #startWorker(endpoint: Endpoint): Promise<void> {
    const { clock, fleet, newId, registry, storage } = this.#deps
    const id = newId.worker()
    const token = newId.key()
    const worker: LiveWorker = {
      id,
      endpointId: endpoint.id,
      revision: endpoint.revision,
      tokenHash: newId.hash(token),
      startedAt: clock.steady(),
      startedWallAt: clock.now(),
      state: 'initializing',
      reason: undefined,
      pid: undefined,
      lastSeen: clock.steady(),
      lastSeenWallAt: undefined,
      idleSince: undefined,
      becameReady: false,
      jobsDone: 0,
      ordered: false,
      replace: false,
      told: false,
      stopOrders: new Map(),
      lastLines: [],
    }
    registry.add(worker)
    try {
      const spec = this.#deps.specOf(endpoint, id, token)
      await fleet.ensure(spec)
      const { handle, pid } = await fleet.start(spec)
      worker.pid = pid
      const { endpointId, revision, tokenHash, startedWallAt: startedAt } = worker
      await storage.write(() => storage.workers.save({ id, endpointId, revision, tokenHash, handle, startedAt }))
    } catch (error) {
      this.#workerExited({ workerId: id, code: undefined, signal: undefined, reason: (error as Error).message })
    }
  }

  #workerExited(exit: WorkerExit): void {
    const { clock, fleet, leases, log, registry, storage } = this.#deps
    const worker = registry.get(exit.workerId)
    if (worker === undefined) return
    fleet.drainOutput(worker.id)
    const words = exit.reason ?? lastWords(worker.lastLines, exit)
    const held = leases.ofWorker(worker.id)
    const reason = worker.ordered
      ? `worker ${worker.id} was stopped: ${worker.reason ?? 'no reason'}`
      : `worker ${worker.id} exited: ${words}`
    registry.apply(worker, 'exit', worker.ordered ? worker.reason : words)
    registry.remove(worker.id)
    this.#rememberExit(worker, words)
    log.info('worker ended', { workerId: worker.id, endpointId: worker.endpointId, reason })
    const takeBack = worker.ordered ? releaseJobs : rescueLostJobs
    this.#run(takeBack(this.#deps, held, reason), 'jobs of an ended worker not taken back')
    this.#run(
      storage.write(() => storage.workers.remove(worker.id)),
      'ended worker not removed',
    )
    this.#deps.takes.dismiss(worker.id)
    this.#lastCheck.delete(worker.endpointId)
    this.check(worker.endpointId)
    void clock
  }

  #rememberExit(worker: LiveWorker, reason: string): void {
    const now = this.#deps.clock.steady()
    const exits = this.#exits.get(worker.endpointId) ?? []
    const failedToStart = worker.ordered && !worker.becameReady && worker.reason?.startsWith('not ready') === true
    exits.push({
      at: now,
      livedMs: now - worker.startedAt,
      becameReady: worker.becameReady,
      jobsDone: worker.jobsDone,
      ordered: worker.ordered && !failedToStart,
      reason: failedToStart ? (worker.reason ?? reason) : reason,
    })
    this.#exits.set(worker.endpointId, exits.slice(-EXITS_KEPT))
  }

  #crashLoop(endpointId: string): CrashLoop | undefined {
    return judgeCrashLoop(this.#exits.get(endpointId) ?? [], this.#deps.clock.steady())
  }

  #graceOf(worker: LiveWorker): number {
    return this.#deps.storage.endpoints.get(worker.endpointId)?.config.stopGraceMs ?? limit('stopGraceMs')
  }

  #run(work: Promise<unknown>, failure: string): void {
    work.catch((error) => this.#deps.log.error(failure, { error }))
  }
}

/** Jobs that were running when the service went down, by worker. */
export function byWorker(jobs: readonly Job[]): ReadonlyMap<string, readonly Job[]> {
  const groups = new Map<string, Job[]>()
  for (const job of jobs) {
    if (job.workerId === null) continue
    const group = groups.get(job.workerId) ?? []
    groups.set(job.workerId, group)
    group.push(job)
  }
  return groups
}
