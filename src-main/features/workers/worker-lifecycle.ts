/** Jobs of an ended worker are requeued: with a try if the worker failed, without if we ended it. */

import type { WorkerPool } from '../../contract/endpoint.ts'
import type { Clock, Log, NewId } from '../../lib/clock.ts'
import { filled } from '../../lib/text.ts'
import type { WorkerExit, WorkerPlan } from '../../runtimes/port.ts'
import { otherMachine } from '../../runtimes/rules/choose-machine.ts'
import type { Endpoint, Storage, StoredExit } from '../../storage/storage.ts'
import type { Leases } from '../jobs/queue/leases.ts'
import { requeueJobs, rescueLostJobs } from '../jobs/queue/lost-and-overdue-jobs.ts'
import type { PlacedFleet } from '../machines/join-machines.ts'
import type { EndpointLog } from '../monitoring/logs/endpoint-log.ts'
import { LOST_SERVER } from '../workflows/rules/lost-server.ts'
import type { WorkerPlans } from './plans/worker-plans.ts'
import { createPreparedWorkers, type WorkerIdentity } from './prepared-workers.ts'
import { type LiveWorker, newLiveWorker, type WorkerRegistry } from './registry/worker-registry.ts'
import type { WorkflowServers } from './registry/workflow-servers.ts'
import { type CrashLoop, evaluateCrashLoop, exitStatus, lastLine } from './rules/crash-loop.ts'
import { deployHint, installHint, withHint } from './rules/missing-module.ts'
import type { WorkerCalls } from './worker-calls.ts'

export type LifecycleDeps = {
  readonly storage: Storage
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly endpointLog: EndpointLog
  readonly fleet: PlacedFleet
  readonly leases: Leases
  readonly calls: Pick<WorkerCalls, 'dismiss'>
  readonly registry: WorkerRegistry
  readonly plans: WorkerPlans
  readonly history: ExitHistory
  readonly servers: WorkflowServers
  readonly onEnded: (worker: LiveWorker) => void
}

export type WorkerStart = {
  readonly begins: 'serve' | 'stage'
  readonly pool: WorkerPool
  readonly because: string
}

export type WorkerLifecycle = ReturnType<typeof createWorkerLifecycle>

export function createWorkerLifecycle(deps: LifecycleDeps) {
  const { storage, clock, newId, log, endpointLog, fleet, leases, calls, registry, plans, history, servers } = deps
  const closing = new AbortController()
  const waiting = new Map<string, AbortController>()
  const prepared = createPreparedWorkers(fleet, newId, log)

  function ended(exit: WorkerExit): void {
    const worker = registry.get(exit.workerId)
    if (worker === undefined) return
    fleet.drainOutput(worker.id)
    const cause = worker.killedBy ?? exit.reason
    const said = exit.code === 0 ? worker.neverAsks : undefined
    const known = cause ?? worker.failure ?? said
    const exitText = known ?? withInstallHint(worker, lastLine(worker.lastLines, exit))
    const { phase } = worker
    const wasLeaving = phase === 'draining' || phase === 'stopping'
    const wasOrdered = wasLeaving && worker.duty !== 'killed'
    const held = leases.ofWorker(worker.id)
    const reason = wasOrdered ? `was stopped: ${worker.reason ?? 'it was asked to'}` : `exited: ${exitText}`
    if (exit.blameless) {
      // Recorded as a stop: its engine disappeared or was never available.
      registry.move(worker, 'drain', { reason: exitText })
      registry.move(worker, 'stop')
    }
    registry.move(worker, 'exit', { reason: wasOrdered ? (worker.failure ?? worker.reason) : exitText })
    registry.remove(worker.id)
    if (!wasOrdered && !exit.blameless && exit.code !== 0) {
      // Its last output is already in the log.
      const end = [exitStatus(exit), known].filter((one) => one !== undefined).join('; ') || exitText
      const line = filled('The worker ended: {end}.', { end })
      const [only] = held.length === 1 ? held : []
      const of = { endpointId: worker.endpointId, workerId: worker.id, ...(only && { jobId: only.jobId }) }
      endpointLog({ ...of, line, level: 'ERROR' })
    }
    const lostServer = worker.server === undefined || wasOrdered ? undefined : LOST_SERVER[exit.code ?? 0]
    if (lostServer !== undefined && worker.server !== undefined)
      servers.lose(
        worker.server,
        `was lost: ${worker.lastLines.at(-1)?.replace(/\.$/, '') ?? exitText}`,
        held.map(({ seq }) => seq),
      )
    else if (!exit.blameless) history.remember(worker, { exitText, code: exit.code, wasLeaving }, clock.steady())
    calls.dismiss(worker.id)
    log.info('worker ended', { workerId: worker.id, endpointId: worker.endpointId, reason })
    const isBlameless = wasOrdered || exit.blameless || lostServer === 'before the prompt'
    const takeBack = isBlameless ? requeueJobs : rescueLostJobs
    const writes = [
      takeBack(deps, held, `worker ${worker.id} ${reason}`, exitText),
      storage.write(() => storage.workers.remove(worker.id)),
    ]
    for (const write of writes)
      write.catch((error) => log.error('end of a worker not stored', { workerId: worker.id, error }))
    deps.onEnded(worker)
  }

  function withInstallHint({ endpointId, app }: LiveWorker, reason: string): string {
    const endpoint = storage.endpoints.get(endpointId)
    return withHint(reason, app === undefined ? endpoint && installHint(endpoint, reason) : deployHint(reason))
  }

  async function stop(worker: LiveWorker, reason: string, graceMs: number): Promise<void> {
    registry.move(worker, 'drain', { reason })
    registry.move(worker, 'stop')
    waiting.get(worker.id)?.abort(new Error(reason))
    const stopped = fleet.stop(worker.id, graceMs)
    calls.dismiss(worker.id)
    await stopped
  }

  async function makeReady(worker: LiveWorker, endpoint: Endpoint, onPlaced: (plan: WorkerPlan) => void) {
    const report = (progress: string) => void registry.move(worker, 'progress', { reason: progress })
    const leaving = new AbortController()
    waiting.set(worker.id, leaving)
    const watch = { report, signal: AbortSignal.any([closing.signal, leaving.signal]) }
    try {
      const model = endpoint.config.model === undefined ? undefined : await plans.stageModel(endpoint, watch)
      const planned = plans.planOf(endpoint, model)
      await fleet.lookAround(planned)
      const plan = fleet.place(planned, worker.id)
      registry.note(worker, { machine: otherMachine(plan.container) })
      onPlaced(plan)
      return { plan, model, reach: await fleet.ensure(plan, watch) }
    } finally {
      waiting.delete(worker.id)
    }
  }

  async function start(endpoint: Endpoint, { begins, pool, because }: WorkerStart): Promise<LiveWorker> {
    const identity = prepared.take(endpoint)
    const server = servers.withoutWorker(endpoint)
    const facts = { id: identity.workerId, endpointId: endpoint.id, revision: endpoint.revision, pool, server }
    const tokenHash = newId.hash(identity.token)
    const worker = newLiveWorker(
      { ...facts, tokenHash, startedWallAt: clock.now() },
      { config: endpoint.config, begins, clock },
    )
    const wasStopped = () => worker.phase === 'stopping' || worker.phase === 'ended'
    registry.add(worker, because)
    let placed: WorkerPlan | undefined
    try {
      const { plan, model, reach } = await makeReady(worker, endpoint, (plan) => {
        placed = plan
      })
      const specOf = (of: WorkerIdentity) => ({
        ...plan,
        workerId: of.workerId,
        env: plans.environmentOf(endpoint, of, { reach, model, server }),
      })
      if (wasStopped()) {
        ended({ workerId: worker.id, code: undefined, signal: undefined, reason: undefined })
        return worker
      }
      registry.move(worker, 'launch')
      const started = await fleet.start(specOf(identity))
      registry.note(worker, { started })
      if (server === undefined && storage.endpoints.get(endpoint.id)?.revision === endpoint.revision)
        prepared.fill(endpoint, specOf)
      const { id, endpointId, revision, startedWallAt: startedAt } = worker
      const { handle } = started
      const stored = { id, endpointId, revision, pool, tokenHash, handle, startedAt, server }
      await storage.write(() => storage.workers.save(stored))
      if (wasStopped()) await fleet.stop(worker.id, 0)
    } catch (error) {
      const exit = { workerId: worker.id, code: undefined, signal: undefined, reason: (error as Error).message }
      const isAway = placed !== undefined && fleet.capacity(placed).isAway === true
      ended({ ...exit, ...(isAway ? { blameless: true } : {}) })
    }
    return worker
  }

  fleet.onExit(ended)
  return {
    start,
    stop,
    fail(workerId: string, reason: string) {
      const worker = registry.get(workerId)
      if (worker === undefined) return
      const failure = worker.reason === undefined ? reason : `${reason}: ${worker.reason}`
      registry.move(worker, 'failStart', { failure })
    },
    /** Counts failures as crashes before the workers end, so that the next start is delayed. */
    countFailures(endpointId: string) {
      for (const worker of registry.ofEndpoint(endpointId)) {
        const { failure: exitText } = worker
        if (exitText !== undefined)
          history.remember(worker, { exitText, code: undefined, wasLeaving: false }, clock.steady())
      }
    },
    discardPrepared: prepared.discard,
    close(): Promise<void> {
      closing.abort(new Error('the service stops'))
      return prepared.discard()
    },
  }
}

export type ExitHistory = ReturnType<typeof createExitHistory>

// At the longest pause these crashes take three hours.
const MAX_EXITS = 200

/** Stored, so that a crash loop survives restarts: count, words and next try. */
export function createExitHistory({
  storage,
  log,
}: {
  readonly storage: Pick<Storage, 'write' | 'workers'>
  readonly log: Log
}) {
  const exits = new Map<string, Readonly<Record<WorkerPool, readonly StoredExit[]>>>()
  const counted = new WeakSet<LiveWorker>()
  for (const exit of storage.workers.exits()) store(exit)

  function store(exit: StoredExit): void {
    const { endpointId, pool } = exit
    const all = exits.get(endpointId) ?? { main: [], batch: [] }
    exits.set(endpointId, { ...all, [pool]: [...all[pool], exit].slice(-MAX_EXITS) })
  }

  function write(endpointId: string, work: () => void): void {
    storage.write(work).catch((error) => log.error('history of crashes not stored', { endpointId, error }))
  }

  return {
    /**
     * Counts each worker once and staged ones never, since the endpoint has not crashed.
     * @param end last words and exit code, if any
     * @param now steady ms
     */
    remember(
      worker: LiveWorker,
      {
        exitText,
        code,
        wasLeaving,
      }: { readonly exitText: string; readonly code: number | undefined; readonly wasLeaving: boolean },
      now: number,
    ) {
      if (counted.has(worker) || worker.duty === 'staged') return
      counted.add(worker)
      const exit = {
        endpointId: worker.endpointId,
        pool: worker.pool,
        at: now,
        livedMs: now - worker.startedAt,
        becameReady: worker.becameReady,
        jobsDone: worker.jobsDone,
        ordered: (wasLeaving && worker.failure === undefined) || worker.adopted,
        reason: exitText,
        code: wasLeaving ? undefined : code,
      }
      store(exit)
      write(exit.endpointId, () => storage.workers.addExit(exit, MAX_EXITS))
    },
    crashLoop: (endpointId: string, pool: WorkerPool, now: number): CrashLoop | undefined =>
      evaluateCrashLoop(exits.get(endpointId)?.[pool] ?? [], now, pool),
    forget(endpointId: string) {
      if (exits.delete(endpointId)) write(endpointId, () => storage.workers.forgetExits(endpointId))
    },
  }
}
