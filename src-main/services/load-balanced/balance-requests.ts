/**
 * Gives each request to a load-balanced endpoint a worker, at once or when there is one. A request holds a seat at its
 * worker until it has ended; the number of seats is the worker's load, so that a worker that leaves is ended after its
 * last request. Who waits and who is open is all that scaling sees of an endpoint without a queue.
 */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { chooseWorker } from '../../domain/load-balanced/choose-worker.ts'
import type { CrashLoop } from '../../domain/worker/crash-loop.ts'
import { isUsedUp, settingsUnderFaults } from '../../domain/worker/faults.ts'
import type { ScalingDecision } from '../../domain/worker/scaling-facts.ts'
import type { WaitingReason } from '../../domain/worker/waiting-reason.ts'
import type { Clock, Endpoint, Storage } from '../ports.ts'
import { type LiveWorker, takesJobs, type WorkerRegistry } from '../workers/worker-registry.ts'
import { createWorkerSeats, type Seat, type WorkerSeats } from './worker-seats.ts'

/** Who may have the seat, and for how long it is waited for. */
export type EnterOptions = {
  readonly endpointId: string
  readonly signal: AbortSignal
  /** Workers that failed on this request. */
  readonly except?: ReadonlySet<string>
}

/** The seats. */
export type RequestBalancer = Pick<WorkerSeats, 'drain' | 'whenAnswered'> & {
  /**
   * Waits for a worker, up to the limit, and no longer than that can help.
   * @returns undefined when the signal aborted first
   * @throws AppError NO_WORKER, ENDPOINT_PAUSED, ENDPOINT_NOT_FOUND, STOPPING
   */
  readonly enter: (options: EnterOptions) => Promise<Seat | undefined>
  /** A seat at a worker that is there, without a wait; undefined without one. */
  readonly enterNow: (options: Omit<EnterOptions, 'signal'>) => Seat | undefined
  /** Seats those who wait, as far as workers are there for them now. */
  readonly dispatch: (endpointId: string) => void
  readonly counts: (endpointId: string) => { readonly waiting: number; readonly open: number }
  /** How many requests wait, of all endpoints. */
  readonly waitingInAll: () => number
  /** How long the oldest waiting request has waited, ms; 0 if none waits. */
  readonly oldestWaitMs: (endpointId: string) => number
  /** Refuses everybody from now on, those who wait first. */
  readonly close: () => void
}

type Deps = {
  readonly storage: Pick<Storage, 'endpoints'>
  readonly clock: Clock
  readonly registry: WorkerRegistry
  /** How the fleet of an endpoint stands; see WorkerSupervisor.status. */
  readonly statusOf: (endpointId: string) => {
    readonly decision: ScalingDecision | undefined
    readonly crashLoop: CrashLoop | undefined
  }
  /** Why a request waits that came at this time, steady ms. */
  readonly reasonOf: (endpoint: Endpoint, since: number) => WaitingReason | undefined
  /** Called when something changed that scaling cares for. */
  readonly onChange: (endpointId: string) => void
}

type Waiting = {
  readonly since: number
  readonly except: ReadonlySet<string>
  readonly settle: (outcome: { readonly seat: Seat } | { readonly error: AppError }) => void
}

const NOBODY: ReadonlySet<string> = new Set()

/** Makes the balancer. */
export function createRequestBalancer(deps: Deps): RequestBalancer {
  const { storage, clock, registry, onChange } = deps
  const waiting = new Map<string, Set<Waiting>>()
  const seats = createWorkerSeats({
    clock,
    registry,
    onLeave({ endpointId }) {
      dispatch(endpointId)
      onChange(endpointId)
    },
  })
  let closed = false

  const waitingOf = (endpointId: string) => waiting.get(endpointId) ?? new Set<Waiting>()

  function refusal(endpointId: string): AppError | undefined {
    if (closed) return new AppError('STOPPING')
    const endpoint = storage.endpoints.get(endpointId)
    if (endpoint === undefined) return new AppError('ENDPOINT_NOT_FOUND', { endpointId })
    if (endpoint.config.workersMax === 0)
      return new AppError('ENDPOINT_PAUSED', { endpointId, why: 'has a maximum of 0 workers' })
    if (endpoint.paused)
      return new AppError('NO_WORKER', { endpointId, why: 'the endpoint is paused. Resume it to go on.' })
    return undefined
  }

  function choose(endpointId: string, except: ReadonlySet<string>, patient: boolean): LiveWorker | undefined {
    const endpoint = storage.endpoints.get(endpointId)
    if (endpoint === undefined) return undefined
    const config = settingsUnderFaults(endpoint.config)
    const workers = registry.ofEndpoint(endpointId)
    const ready = workers.filter(
      (worker) =>
        takesJobs(worker) &&
        worker.placed?.address !== undefined &&
        !except.has(worker.id) &&
        !isUsedUp(config.faults, worker),
    )
    const share = config.scaler.type === 'REQUEST_COUNT' ? config.scaler.value : config.concurrency
    return chooseWorker(ready, { share, moreCome: patient && moreCome(endpointId, workers, config.workersMax) })
  }

  function moreCome(endpointId: string, workers: readonly LiveWorker[], most: number): boolean {
    if (workers.some(({ state }) => state === 'initializing' || state === 'paused')) return true
    const { decision, crashLoop } = deps.statusOf(endpointId)
    const held = crashLoop !== undefined && crashLoop.backOffUntil > clock.steady()
    return !held && (decision?.throttled ?? 0) === 0 && workers.filter(takesJobs).length < most
  }

  function dispatch(endpointId: string): void {
    const error = refusal(endpointId)
    for (const request of [...waitingOf(endpointId)]) {
      if (error !== undefined) {
        request.settle({ error })
        continue
      }
      const worker = choose(endpointId, request.except, true)
      const seat = worker && seats.take(worker)
      if (seat !== undefined) request.settle({ seat })
      else if (waitsInVain(endpointId, request)) refuse(endpointId, request)
      else if (request.except.size === 0) return // nor is there one for those behind it, who wait for less long
    }
  }

  function waitsInVain(endpointId: string, { since }: Waiting): boolean {
    const endpoint = storage.endpoints.get(endpointId)
    return endpoint !== undefined && deps.reasonOf(endpoint, since)?.needsChange === true
  }

  function giveUp(endpointId: string, request: Waiting): void {
    const worker = choose(endpointId, request.except, false) // one with much to do is better than none
    const seat = worker && seats.take(worker)
    if (seat !== undefined) {
      request.settle({ seat })
      return
    }
    refuse(endpointId, request)
  }

  function refuse(endpointId: string, request: Waiting): void {
    const endpoint = storage.endpoints.get(endpointId)
    const reason = (endpoint && deps.reasonOf(endpoint, request.since)?.text) ?? 'No worker became free.'
    const why = `${reason} It waited ${Math.round((clock.steady() - request.since) / 1000)} s.`
    request.settle({ error: new AppError('NO_WORKER', { endpointId, why }) })
  }

  function join({ endpointId, signal, except = NOBODY }: EnterOptions): Promise<Seat | undefined> {
    return new Promise((resolve, reject) => {
      const queue = waitingOf(endpointId)
      const stopWaiting = () => {
        queue.delete(request)
        if (queue.size === 0 && waiting.get(endpointId) === queue) waiting.delete(endpointId)
        cancelTimer()
        signal.removeEventListener('abort', onAbort)
      }
      const request: Waiting = {
        since: clock.steady(),
        except,
        settle(outcome) {
          stopWaiting()
          if ('seat' in outcome) resolve(outcome.seat)
          else reject(outcome.error)
        },
      }
      const onAbort = () => {
        stopWaiting()
        onChange(endpointId)
        resolve(undefined)
      }
      const cancelTimer = clock.after(limit('proxyWaitMs'), () => giveUp(endpointId, request))
      signal.addEventListener('abort', onAbort, { once: true })
      waiting.set(endpointId, queue.add(request))
      onChange(endpointId)
    })
  }

  function enterNow({ endpointId, except = NOBODY }: Omit<EnterOptions, 'signal'>): Seat | undefined {
    const worker = choose(endpointId, except, true)
    return worker && seats.take(worker)
  }

  return {
    async enter(options) {
      if (options.signal.aborted) return undefined
      const error = refusal(options.endpointId)
      if (error !== undefined) throw error
      // Nobody overtakes those who wait.
      const seat = waitingOf(options.endpointId).size === 0 ? enterNow(options) : undefined
      return seat ?? join(options)
    },
    enterNow,
    dispatch,
    counts: (endpointId) => ({
      waiting: waitingOf(endpointId).size,
      open: registry.ofEndpoint(endpointId).reduce((sum, worker) => sum + worker.openRequests, 0),
    }),
    waitingInAll: () => [...waiting.values()].reduce((sum, queue) => sum + queue.size, 0),
    oldestWaitMs(endpointId) {
      const [oldest] = waitingOf(endpointId)
      return oldest === undefined ? 0 : clock.steady() - oldest.since
    },
    drain: seats.drain,
    whenAnswered: seats.whenAnswered,
    close() {
      closed = true
      seats.close()
      for (const endpointId of [...waiting.keys()]) dispatch(endpointId)
    },
  }
}
