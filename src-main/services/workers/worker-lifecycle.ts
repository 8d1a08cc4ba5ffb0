/**
 * Starts and ends workers, one at a time. What a worker held when it ended goes back to the queue: as a new try when
 * the worker failed, without counting one when we ended it.
 */
import { lastWords } from '../../domain/worker/last-words.ts'
import type { Clock, Endpoint, Fleet, Log, NewId, ServiceReach, Storage, WorkerExit, WorkerPlan } from '../ports.ts'
import type { Leases } from '../queue/leases.ts'
import { releaseJobs } from '../queue/release-jobs.ts'
import { rescueLostJobs } from '../queue/rescue-lost-jobs.ts'
import { createExitHistory, type ExitHistory } from './exit-history.ts'
import { createPreparedWorkers, type WorkerIdentity } from './prepared-workers.ts'
import type { WorkerCalls } from './worker-calls.ts'
import { type LiveWorker, newLiveWorker, type WorkerRegistry } from './worker-registry.ts'

/** What starting and ending a worker needs. */
export type LifecycleDeps = {
  readonly storage: Storage
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly fleet: Fleet
  readonly leases: Leases
  readonly calls: Pick<WorkerCalls, 'dismiss'>
  readonly registry: WorkerRegistry
  readonly planOf: (endpoint: Endpoint) => WorkerPlan
  /** The environment of a worker of this endpoint. */
  readonly environmentOf: (endpoint: Endpoint, worker: WorkerIdentity, reach: ServiceReach) => Record<string, string>
  /** Called when a worker has ended. */
  readonly onEnded: (worker: LiveWorker) => void
}

/** The starts and ends of workers. */
export type WorkerLifecycle = {
  /** Settles when it runs, or has ended before that. @param staged its settings are not the endpoint's yet */
  readonly start: (endpoint: Endpoint, staged?: boolean) => Promise<LiveWorker>
  /** SIGTERM now; the end of it with all its children when the grace time is over. Settles when it has ended. */
  readonly stop: (worker: LiveWorker, reason: string, graceMs: number) => Promise<void>
  /** A worker has failed, for this reason and what it said last of its start. It still has to be stopped. */
  readonly fail: (workerId: string, reason: string) => void
  /** Counts workers that failed as crashes before they have ended: else the next would start without the pause after one. */
  readonly countFailures: (endpointId: string) => void
  /** Throws away what was made ready for an endpoint. */
  readonly discardPrepared: (endpointId: string) => Promise<void>
  /** Breaks off starts that wait for an image, say, and throws away all that was made ready. */
  readonly close: () => Promise<void>
  readonly history: ExitHistory
}

/** Makes the lifecycle and listens to the fleet. */
export function createWorkerLifecycle(deps: LifecycleDeps): WorkerLifecycle {
  const { storage, clock, newId, log, fleet, leases, calls, registry } = deps
  const history = createExitHistory(deps)
  const closing = new AbortController()
  // Those that wait for an image, say, and how to break that off.
  const waiting = new Map<string, AbortController>()
  const prepared = createPreparedWorkers({ fleet, newId, log })

  function ended(exit: WorkerExit): void {
    const worker = registry.get(exit.workerId)
    if (worker === undefined) return
    fleet.drainOutput(worker.id)
    const cause = worker.killedBy ?? exit.reason
    const words = cause ?? worker.failure ?? lastWords(worker.lastLines, exit)
    // Also where it was to leave anyway: a switch that is on has to be met.
    const wasOrdered = worker.ordered && worker.killedBy === undefined
    const held = leases.ofWorker(worker.id)
    const reason = wasOrdered ? `was stopped: ${worker.reason ?? 'it was asked to'}` : `exited: ${words}`
    registry.apply(worker, 'exit', wasOrdered ? (worker.failure ?? worker.reason) : words)
    registry.remove(worker.id)
    if (!exit.blameless) history.remember(worker, { words, code: exit.code }, clock.steady())
    calls.dismiss(worker.id)
    log.info('worker ended', { workerId: worker.id, endpointId: worker.endpointId, reason })
    const takeBack = wasOrdered || exit.blameless ? releaseJobs : rescueLostJobs
    const writes = [
      takeBack(deps, held, `worker ${worker.id} ${reason}`, cause),
      storage.write(() => storage.workers.remove(worker.id)),
    ]
    for (const write of writes)
      write.catch((error) => log.error('end of a worker not stored', { workerId: worker.id, error }))
    deps.onEnded(worker)
  }

  async function stop(worker: LiveWorker, reason: string, graceMs: number): Promise<void> {
    worker.ordered = true
    worker.told = true
    registry.apply(worker, 'drain', reason)
    waiting.get(worker.id)?.abort(new Error(reason))
    const stopped = fleet.stop(worker.id, graceMs)
    calls.dismiss(worker.id) // else it would wait for its open calls before it ends
    await stopped
  }

  async function start(endpoint: Endpoint, staged = false): Promise<LiveWorker> {
    const identity = prepared.take(endpoint)
    const facts = { id: identity.workerId, endpointId: endpoint.id, revision: endpoint.revision }
    const tokenHash = newId.hash(identity.token)
    const worker = newLiveWorker({ ...facts, tokenHash, startedWallAt: clock.now() }, endpoint.config, clock)
    worker.staged = staged
    registry.add(worker)
    try {
      const plan = deps.planOf(endpoint)
      const tell = (progress: string) => {
        worker.progressAt = clock.steady()
        if (worker.state === 'initializing') worker.reason = progress
      }
      const leaving = new AbortController()
      waiting.set(worker.id, leaving)
      const signal = AbortSignal.any([closing.signal, leaving.signal])
      const reach = await fleet.ensure(plan, { tell, signal }).finally(() => waiting.delete(worker.id))
      const specOf = (of: WorkerIdentity) => ({
        ...plan,
        workerId: of.workerId,
        env: deps.environmentOf(endpoint, of, reach),
      })
      // It was asked to leave while an image came, say.
      if (worker.told) {
        ended({ workerId: worker.id, code: undefined, signal: undefined, reason: undefined })
        return worker
      }
      worker.placed = await fleet.start(specOf(identity))
      if (worker.state === 'initializing') worker.reason = undefined
      // Meanwhile it may have been changed or removed, and nobody would come for what is made now.
      if (storage.endpoints.get(endpoint.id)?.revision === endpoint.revision) prepared.fill(endpoint, specOf)
      const { id, endpointId, revision, startedWallAt: startedAt } = worker
      const { handle } = worker.placed
      await storage.write(() => storage.workers.save({ id, endpointId, revision, tokenHash, handle, startedAt }))
      // It was asked to leave before it was there.
      if (worker.told) await fleet.stop(worker.id, 0)
    } catch (error) {
      ended({ workerId: worker.id, code: undefined, signal: undefined, reason: (error as Error).message })
    }
    return worker
  }

  fleet.onExit(ended)
  return {
    start,
    stop,
    fail(workerId, reason) {
      const worker = registry.get(workerId)
      if (worker !== undefined) worker.failure ??= worker.reason === undefined ? reason : `${reason}: ${worker.reason}`
    },
    countFailures(endpointId) {
      for (const worker of registry.ofEndpoint(endpointId)) {
        const { failure: words } = worker
        if (words !== undefined) history.remember(worker, { words, code: undefined }, clock.steady())
      }
    },
    discardPrepared: prepared.discard,
    close() {
      closing.abort(new Error('the service stops'))
      return prepared.discard()
    },
    history,
  }
}
