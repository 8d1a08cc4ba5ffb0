import type { EndpointConfig, WorkerPool, WorkerState } from '../../../contract/endpoint.ts'
import type { Clock, Log } from '../../../lib/clock.ts'
import { createEmitter } from '../../../lib/emitter.ts'
import type { FleetWorker } from '../../../runtimes/port.ts'
import type { Storage } from '../../../storage/storage.ts'
import { type AppTarget, targetOf } from '../../apps/rules/app-environment.ts'
import { healthPathOf } from '../../load-balancing/rules/listening-variables.ts'
import {
  type EventFacts,
  nextStatus,
  recordsOf,
  shownState,
  WORKER_TRANSITIONS,
  type WorkerEvent,
  type WorkerRecords,
  type WorkerStatus,
} from '../rules/transitions.ts'

export type StopOrder = { readonly seq: number; readonly until: number; readonly sent: boolean }

/** Immutable facts. `startedAt` is steady ms, `startedWallAt` is for people. */
type WorkerRecord = {
  readonly id: string
  readonly endpointId: string
  readonly revision: number
  readonly pool: WorkerPool
  readonly tokenHash: Uint8Array
  /** Undefined: no app. Stored here, because a staged worker's endpoint may not exist yet. */
  readonly app: AppTarget | undefined
  /** Endpoints that its token opens: an environment, or those without an app; undefined: none. */
  readonly callsWithin: AppTarget | 'no app' | undefined
  readonly startedAt: number
  readonly startedWallAt: number
  /** Started by an earlier run, which may have asked it to leave. */
  readonly adopted: boolean
  /** Address of the ComfyUI server that it has of its own. */
  readonly server: string | undefined
}

type WorkerLife = WorkerStatus &
  WorkerRecords & {
    readonly state: WorkerState
  }

type WorkerConnection = {
  readonly machine: string | undefined
  readonly isAway: boolean
  readonly backAt: number | undefined
  readonly started: FleetWorker | undefined
  readonly lastSeenWallAt: number | undefined
  readonly healthPath: string
  readonly nothingListens: boolean
}

type WorkerLoad = {
  readonly jobsDone: number
  readonly openRequests: number
  /** When the last request that named this worker ended, steady ms. */
  readonly askedAt: number | undefined
  readonly stopOrders: ReadonlyMap<string, StopOrder>
  /** Recently run jobs in wall ms, with the oldest first. */
  readonly jobSpans: readonly { readonly jobId: string; readonly from: number; readonly to: number | undefined }[]
}

type WorkerOutput = {
  readonly lastLines: readonly string[]
  readonly neverAsks: string | undefined
  readonly storedLines: number
}

type WorkerNotes = WorkerConnection &
  WorkerLoad &
  WorkerOutput & {
    readonly replacement: string | undefined
  }

export type LiveWorker = WorkerRecord & WorkerLife & WorkerNotes

export type WorkerRegistry = ReturnType<typeof createWorkerRegistry>

type Changeable = { -readonly [Field in keyof LiveWorker]: LiveWorker[Field] }

// Busy workers would write two rows a job; their jobs tell the story already.
const UNRECORDED: readonly WorkerEvent[] = ['takeJob', 'becomeIdle']

export function createWorkerRegistry(storage: Pick<Storage, 'write' | 'workers'>, clock: Clock, log: Log) {
  const workers = new Map<string, LiveWorker>()
  // Indexed by endpoint, since it is queried many times per second.
  const byEndpoint = new Map<string, Set<LiveWorker>>()
  const moves = createEmitter<[LiveWorker]>()
  const record = (
    { id, endpointId, state, reason }: Pick<LiveWorker, 'id' | 'endpointId' | 'state' | 'reason'>,
    from: WorkerState | undefined,
  ) => {
    const change = { endpointId, workerId: id, from, state, reason, now: clock.now() }
    storage
      .write(() => storage.workers.recordState(change))
      .catch((error) => log.warn('worker event not recorded', { workerId: id, error }))
  }
  const assign = (worker: Changeable, fields: Partial<WorkerLife & WorkerNotes>) => void Object.assign(worker, fields)

  return {
    get: (workerId: string): LiveWorker | undefined => workers.get(workerId),
    all: (): readonly LiveWorker[] => [...workers.values()],
    ofEndpoint: (endpointId: string): readonly LiveWorker[] => [...(byEndpoint.get(endpointId) ?? [])],
    add(worker: LiveWorker, because: string) {
      workers.set(worker.id, worker)
      byEndpoint.set(worker.endpointId, (byEndpoint.get(worker.endpointId) ?? new Set()).add(worker))
      record({ ...worker, reason: because }, undefined)
    },
    remove(workerId: string) {
      const worker = workers.get(workerId)
      if (worker === undefined) return
      workers.delete(workerId)
      const others = byEndpoint.get(worker.endpointId)
      others?.delete(worker)
      if (others?.size === 0) byEndpoint.delete(worker.endpointId)
    },
    onMove: moves.on,
    move(worker: LiveWorker, event: WorkerEvent, facts: EventFacts = {}): boolean {
      const next = nextStatus(worker, event)
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

/** Running jobs and stopping ones that may still run; for load-balanced workers open requests. */
export function loadOf(
  worker: LiveWorker,
  leases: { readonly ofWorker: (workerId: string) => readonly unknown[] },
): number {
  return leases.ofWorker(worker.id).length + worker.stopOrders.size + worker.openRequests
}

export function newLiveWorker(
  worker: Pick<LiveWorker, 'id' | 'endpointId' | 'revision' | 'pool' | 'tokenHash' | 'startedWallAt'> &
    Partial<Pick<LiveWorker, 'adopted' | 'started' | 'server'>>,
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
    server: worker.server,
    phase,
    duty: WORKER_TRANSITIONS[begins].to,
    state: shownState(phase),
    reason: undefined,
    becameReady: false,
    progressAt: undefined,
    idleSince: undefined,
    neededAt: undefined,
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
    askedAt: undefined,
    stopOrders: new Map(),
    jobSpans: [],
    lastLines: [],
    neverAsks: undefined,
    storedLines: 0,
    replacement: undefined,
  }
}

const MAX_SPANS = 50

export function beginJob({ jobSpans }: LiveWorker, jobId: string, at: number): Pick<WorkerNotes, 'jobSpans'> {
  return { jobSpans: [...jobSpans.slice(1 - MAX_SPANS), { jobId, from: at, to: undefined }] }
}

export function endJob({ jobSpans }: LiveWorker, jobId: string, at: number): Partial<WorkerNotes> {
  const last = jobSpans.findLastIndex((span) => span.jobId === jobId && span.to === undefined)
  return { jobSpans: jobSpans.map((span, index) => (index === last ? { ...span, to: at } : span)) }
}
