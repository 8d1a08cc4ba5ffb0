import type { EndpointConfig, WorkerState } from '../../contract/endpoint.ts'
import { type AppPlace, placeOf } from '../../domain/app/app-place.ts'
import { nextWorkerState, WORKER_TRANSITIONS, type WorkerEvent } from '../../domain/worker/transitions.ts'
import type { Clock, FleetWorker, Log, Storage } from '../ports.ts'
import type { Leases } from '../queue/leases.ts'

/** An order to end one job, given to its worker. */
export type StopOrder = { readonly seq: number; readonly until: number; sent: boolean }

/** A worker that lives. `startedAt`, `lastSeen` and `idleSince` are steady ms; `...WallAt` are for people. */
export type LiveWorker = {
  readonly id: string
  readonly endpointId: string
  /** Revision of the endpoint's settings that it was started with. */
  readonly revision: number
  readonly tokenHash: Uint8Array
  /** Where it belongs; undefined: to no app. Kept here, as a staged worker may be of an endpoint to come. */
  readonly app: AppPlace | undefined
  /** Where its token opens endpoints; undefined: nowhere. */
  readonly callsWithin: AppPlace | undefined
  readonly startedAt: number
  readonly startedWallAt: number
  /** Last news of an image that it needs and that comes, steady ms. */
  progressAt: number | undefined
  state: WorkerState
  reason: string | undefined
  /** What the fleet said of it; undefined until it runs. */
  placed: FleetWorker | undefined
  lastSeen: number
  lastSeenWallAt: number | undefined
  idleSince: number | undefined
  pausedSince: number | undefined
  resumedAt: number | undefined
  /** It is idle, and its processes are stopped until it gets a job; see domain/worker/freeze-idle.ts. */
  frozen: boolean
  /** When it last went on after that, steady ms. */
  thawedAt: number | undefined
  becameReady: boolean
  jobsDone: number
  /** It has settings that its endpoint does not have yet, and takes nothing until it has. */
  staged: boolean
  /** It was started by an earlier run of the service, which may have told it to leave. */
  adopted: boolean
  /** We told it to leave, so its end is no crash unless `failure` says so. */
  ordered: boolean
  /** What it did wrong itself, whoever ended it then: it was not ready in time, or it reported that it is unhealthy. */
  failure: string | undefined
  /** Its end stands in the history of crashes, which a failure does before the worker has ended. */
  counted: boolean
  /** It asked for its own replacement, or was found after a crash with other settings: it gets no further job. */
  replace: boolean
  /** Revision of settings that it does not have, but serves for until a worker with them is ready; see replace-workers.ts. */
  standsInFor: number | undefined
  /** How its replacement by hand goes, or went where it did not. */
  replacement: string | undefined
  /** Why a fault switch has it killed; it gets nothing more. */
  killedBy: string | undefined
  /** The fleet was asked to stop it. */
  told: boolean
  /** Jobs that it must end and may still run. */
  readonly stopOrders: Map<string, StopOrder>
  /** Requests to a load-balanced worker that have not ended. */
  openRequests: number
  /** It is unhealthy and may become well by itself soon. */
  mayRecover: boolean
  /** What it ran lately, wall ms, oldest first. */
  readonly jobSpans: { readonly jobId: string; readonly from: number; to: number | undefined }[]
  /** Its last lines, for its last words. */
  readonly lastLines: string[]
  /** How many of its lines were given to the log store. */
  storedLines: number
}

/** The workers that live, by id. */
export type WorkerRegistry = {
  readonly get: (workerId: string) => LiveWorker | undefined
  readonly all: () => readonly LiveWorker[]
  readonly ofEndpoint: (endpointId: string) => readonly LiveWorker[]
  readonly add: (worker: LiveWorker) => void
  readonly remove: (workerId: string) => void
  /** Moves the worker by the table of domain/worker; false when the move is not legal from its state. */
  readonly apply: (worker: LiveWorker, event: WorkerEvent, reason?: string) => boolean
  /** Hears of every move, after it. Returns a function that ends that. */
  readonly onMove: (listener: (worker: LiveWorker) => void) => () => void
}

// A worker that goes from job to job would write two rows a job; its jobs tell that story already.
const UNRECORDED: readonly WorkerEvent[] = ['takeJob', 'becomeIdle']

/** Makes the registry. Moves that a person wants to know are recorded as events. */
export function createWorkerRegistry({
  storage,
  clock,
  log,
}: {
  readonly storage: Pick<Storage, 'write' | 'workers'>
  readonly clock: Clock
  readonly log: Log
}): WorkerRegistry {
  const workers = new Map<string, LiveWorker>()
  const listeners = new Set<(worker: LiveWorker) => void>()
  const record = ({ id, endpointId, state, reason }: LiveWorker, from: WorkerState | undefined) => {
    const change = { endpointId, workerId: id, from, state, reason, now: clock.now() }
    storage
      .write(() => storage.workers.recordState(change))
      .catch((error) => log.warn('worker event not recorded', { workerId: id, error }))
  }
  return {
    get: (workerId) => workers.get(workerId),
    all: () => [...workers.values()],
    ofEndpoint: (endpointId) => [...workers.values()].filter((worker) => worker.endpointId === endpointId),
    add(worker) {
      workers.set(worker.id, worker)
      record(worker, undefined)
    },
    remove: (workerId) => void workers.delete(workerId),
    onMove(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    apply(worker, event, reason) {
      const next = nextWorkerState(worker.state, event)
      if (next === undefined) return false
      const before = worker.state
      const changed = next !== before
      worker.state = next
      worker.reason = reason
      if (event === 'ready') worker.becameReady = true
      if (event === 'resume') worker.resumedAt = clock.steady()
      if (next === 'idle' && changed) worker.idleSince = clock.steady()
      if (next === 'paused' && changed) worker.pausedSince = clock.steady()
      if (changed && !UNRECORDED.includes(event)) record(worker, before)
      for (const listener of [...listeners]) listener(worker)
      return true
    },
  }
}

/** Whether the worker may be given a job. */
export function takesJobs(worker: LiveWorker): boolean {
  if (worker.replace || worker.staged || worker.killedBy !== undefined) return false
  return worker.state === 'idle' || worker.state === 'running'
}

/**
 * How many jobs keep the worker busy: those that it runs, and those that it was told to stop and may still run; of a
 * load-balanced worker its open requests.
 */
export function loadOf(worker: LiveWorker, leases: Pick<Leases, 'ofWorker'>): number {
  return leases.ofWorker(worker.id).length + worker.stopOrders.size + worker.openRequests
}

/** A worker that has just been started, or taken over. Its tests of life begin now. */
export function newLiveWorker(
  worker: Pick<LiveWorker, 'id' | 'endpointId' | 'revision' | 'tokenHash' | 'startedWallAt'>,
  config: Pick<EndpointConfig, 'app' | 'callsOthers'> | undefined,
  clock: Clock,
): LiveWorker {
  return {
    ...worker,
    app: placeOf(config?.app),
    callsWithin: config?.callsOthers === true ? placeOf(config.app) : undefined,
    startedAt: clock.steady(),
    progressAt: undefined,
    state: WORKER_TRANSITIONS.start.to,
    reason: undefined,
    placed: undefined,
    lastSeen: clock.steady(),
    lastSeenWallAt: undefined,
    idleSince: undefined,
    pausedSince: undefined,
    resumedAt: undefined,
    frozen: false,
    thawedAt: undefined,
    becameReady: false,
    jobsDone: 0,
    staged: false,
    adopted: false,
    ordered: false,
    failure: undefined,
    counted: false,
    replace: false,
    standsInFor: undefined,
    replacement: undefined,
    killedBy: undefined,
    told: false,
    stopOrders: new Map(),
    openRequests: 0,
    mayRecover: false,
    jobSpans: [],
    lastLines: [],
    storedLines: 0,
  }
}
