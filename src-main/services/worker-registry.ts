/**
 * The workers that live. The registry alone changes one: by the events of domain/worker/transitions.ts, or by a note of
 * what is no matter of its life. All others read.
 */
import type { EndpointConfig, WorkerState } from '../contract/endpoint.ts'
import { type AppTarget, targetOf } from '../domain/app/app-target.ts'
import { createEmitter } from '../domain/emitter.ts'
import { healthPathOf } from '../domain/load-balanced/listening-variables.ts'
import {
  type EventFacts,
  nextStanding,
  recordsOf,
  shownState,
  WORKER_TRANSITIONS,
  type WorkerEvent,
  type WorkerRecords,
  type WorkerStanding,
} from '../domain/worker/transitions.ts'
import type { FleetWorker } from './ports/fleet.ts'
import type { Storage } from './ports/storage.ts'
import type { Clock, Log } from './ports/system.ts'
import type { Leases } from './queue/leases.ts'

/** An order to end one job, given to its worker. */
export type StopOrder = { readonly seq: number; readonly until: number; readonly sent: boolean }

/** Who a worker is: what never changes. `startedAt` is steady ms, `startedWallAt` is for people. */
type WorkerRecord = {
  readonly id: string
  readonly endpointId: string
  /** Revision of the endpoint's settings that it was started with. */
  readonly revision: number
  readonly tokenHash: Uint8Array
  /** Where it belongs; undefined: to no app. Kept here, as a staged worker may be of an endpoint to come. */
  readonly app: AppTarget | undefined
  /** Which endpoints its token opens: those of an environment, or those of no app; undefined: none. */
  readonly callsWithin: AppTarget | 'no app' | undefined
  readonly startedAt: number
  readonly startedWallAt: number
  /** It was started by an earlier run of the service, which may have asked it to leave. */
  readonly adopted: boolean
}

/** Where a worker stands, as the table of domain/worker has it, and what its events recorded. */
type WorkerLife = WorkerStanding &
  WorkerRecords & {
    /** What people see of the phase. */
    readonly state: WorkerState
  }

/** How it is reached, and when it last made a call. */
type WorkerConnection = {
  /** Name of the other machine that was chosen for it; undefined: this one, or none yet. */
  readonly machine: string | undefined
  /** Whether its machine was unreachable when its endpoint was last looked at, and since when it no longer is, steady ms. */
  readonly isAway: boolean
  readonly backAt: number | undefined
  /** What the fleet said of it; undefined until it runs. */
  readonly started: FleetWorker | undefined
  readonly lastSeenWallAt: number | undefined
  /** The path of a load-balanced worker that is asked for its health. */
  readonly healthPath: string
  /** Whether nothing listens on the port where a load-balanced worker is asked for its health. */
  readonly nothingListens: boolean
}

/** What it has to do, and what it has done. */
type WorkerLoad = {
  readonly jobsDone: number
  /** Requests to a load-balanced worker that have not ended. */
  readonly openRequests: number
  /** Jobs that it must end and may still run. */
  readonly stopOrders: ReadonlyMap<string, StopOrder>
  /** What it ran lately, wall ms, oldest first. */
  readonly jobSpans: readonly { readonly jobId: string; readonly from: number; readonly to: number | undefined }[]
}

/** What it printed. */
type WorkerOutput = {
  /** Its last lines, for its last words. */
  readonly lastLines: readonly string[]
  /** Why it never asks for jobs, as its lines say. */
  readonly neverAsks: string | undefined
  /** How many of its lines were given to the log store. */
  readonly storedLines: number
}

/** What is noted of a worker beside its life. */
type WorkerNotes = WorkerConnection &
  WorkerLoad &
  WorkerOutput & {
    /** How its replacement by hand goes, or went where it did not. */
    readonly replacement: string | undefined
  }

/** A worker that lives. Only the registry changes one. */
export type LiveWorker = WorkerRecord & WorkerLife & WorkerNotes

/** The workers that live, by id. */
export type WorkerRegistry = {
  readonly get: (workerId: string) => LiveWorker | undefined
  readonly all: () => readonly LiveWorker[]
  readonly ofEndpoint: (endpointId: string) => readonly LiveWorker[]
  readonly add: (worker: LiveWorker) => void
  readonly remove: (workerId: string) => void
  /** Moves the worker by the table of domain/worker; false when the event is not legal where it stands. */
  readonly move: (worker: LiveWorker, event: WorkerEvent, facts?: EventFacts) => boolean
  /** Notes what is no matter of its life. */
  readonly note: (worker: LiveWorker, notes: Partial<WorkerNotes>) => void
  /** Is notified of every move, after it. Returns a function that ends that. */
  readonly onMove: (listener: (worker: LiveWorker) => void) => () => void
}

type Changeable = { -readonly [Field in keyof LiveWorker]: LiveWorker[Field] }

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
  // Asked for many times a second of each endpoint, however many workers the others have.
  const byEndpoint = new Map<string, Set<LiveWorker>>()
  const moves = createEmitter<[LiveWorker]>()
  const record = ({ id, endpointId, state, reason }: LiveWorker, from: WorkerState | undefined) => {
    const change = { endpointId, workerId: id, from, state, reason, now: clock.now() }
    storage
      .write(() => storage.workers.recordState(change))
      .catch((error) => log.warn('worker event not recorded', { workerId: id, error }))
  }
  const assign = (worker: Changeable, fields: Partial<WorkerLife & WorkerNotes>) => void Object.assign(worker, fields)

  return {
    get: (workerId) => workers.get(workerId),
    all: () => [...workers.values()],
    ofEndpoint: (endpointId) => [...(byEndpoint.get(endpointId) ?? [])],
    add(worker) {
      workers.set(worker.id, worker)
      byEndpoint.set(worker.endpointId, (byEndpoint.get(worker.endpointId) ?? new Set()).add(worker))
      record(worker, undefined)
    },
    remove(workerId) {
      const worker = workers.get(workerId)
      if (worker === undefined) return
      workers.delete(workerId)
      const others = byEndpoint.get(worker.endpointId)
      others?.delete(worker)
      if (others?.size === 0) byEndpoint.delete(worker.endpointId)
    },
    onMove: moves.on,
    move(worker, event, facts = {}) {
      const next = nextStanding(worker, event)
      if (next === undefined) return false
      const before = worker.state
      const records = recordsOf(event, facts, clock.steady())
      assign(worker, { ...next, state: shownState(next.phase), ...records })
      if (worker.state !== before && !UNRECORDED.includes(event)) record(worker, before)
      moves.emit(worker)
      return true
    },
    note: assign,
  }
}

/**
 * How many jobs keep the worker busy: those that it runs, and those that it was asked to stop and may still run; of a
 * load-balanced worker its open requests.
 */
export function loadOf(worker: LiveWorker, leases: Pick<Leases, 'ofWorker'>): number {
  return leases.ofWorker(worker.id).length + worker.stopOrders.size + worker.openRequests
}

/** A worker that has just been started, or taken over. Its tests of life begin now. */
export function newLiveWorker(
  worker: Pick<LiveWorker, 'id' | 'endpointId' | 'revision' | 'tokenHash' | 'startedWallAt'> &
    Partial<Pick<LiveWorker, 'adopted' | 'started'>>,
  {
    config,
    begins,
    clock,
  }: {
    readonly config: Pick<EndpointConfig, 'app' | 'callsOthers' | 'env'> | undefined
    readonly begins: 'serve' | 'stage'
    readonly clock: Clock
  },
): LiveWorker {
  const phase = WORKER_TRANSITIONS.start.to
  return {
    ...worker,
    app: targetOf(config?.app),
    callsWithin: config?.callsOthers === true ? (targetOf(config.app) ?? 'no app') : undefined,
    startedAt: clock.steady(),
    adopted: worker.adopted ?? false,
    phase,
    duty: WORKER_TRANSITIONS[begins].to,
    state: shownState(phase),
    reason: undefined,
    becameReady: false,
    progressAt: undefined,
    idleSince: undefined,
    pausedSince: undefined,
    resumedAt: undefined,
    thawedAt: undefined,
    failure: undefined,
    standsInFor: undefined,
    killedBy: undefined,
    retiredBecause: undefined,
    machine: worker.started?.machine,
    isAway: false,
    backAt: undefined,
    started: worker.started,
    lastSeenWallAt: undefined,
    healthPath: healthPathOf(config?.env ?? {}),
    nothingListens: false,
    jobsDone: 0,
    openRequests: 0,
    stopOrders: new Map(),
    jobSpans: [],
    lastLines: [],
    neverAsks: undefined,
    storedLines: 0,
    replacement: undefined,
  }
}

// Lines come within moments of their writing, so a few jobs back are enough.
const MAX_SPANS = 50

/** What to note of a worker that begins a job. @param at wall ms */
export function beginJob({ jobSpans }: LiveWorker, jobId: string, at: number): Pick<WorkerNotes, 'jobSpans'> {
  return { jobSpans: [...jobSpans.slice(1 - MAX_SPANS), { jobId, from: at, to: undefined }] }
}

/** What to note of a worker that no longer runs a job. @param at wall ms */
export function endJob({ jobSpans }: LiveWorker, jobId: string, at: number): Partial<WorkerNotes> {
  const last = jobSpans.findLastIndex((span) => span.jobId === jobId && span.to === undefined)
  return { jobSpans: jobSpans.map((span, index) => (index === last ? { ...span, to: at } : span)) }
}
