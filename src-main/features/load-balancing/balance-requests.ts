/**
 * Assigns workers to requests of load-balanced endpoints. A request holds a slot until it ends, and a leaving worker
 * ends after its last one. Scaling sees only waiting and open requests.
 */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Fleet } from '../../runtimes/port.ts'
import type { Endpoint, Storage } from '../../storage/storage.ts'
import { waitingReason } from '../endpoints/views.ts'
import type { QueueCount, QueueCounts } from '../jobs/queue/queue-counts.ts'
import type { ExclusiveGroups } from '../workers/registry/exclusive-groups.ts'
import type { FleetStatuses } from '../workers/registry/fleet-status.ts'
import type { LiveWorker, WorkerRegistry } from '../workers/registry/worker-registry.ts'
import type { WorkflowServers } from '../workers/registry/workflow-servers.ts'
import { isUsedUp, settingsWithFaults } from '../workers/rules/faults.ts'
import { takesJobs, WORKER_DUTIES } from '../workers/rules/transitions.ts'
import { type Affinity, chooseWithAffinity } from './rules/affinity.ts'
import { createWorkerSlots, type Slot } from './worker-slots.ts'

export type EnterOptions = {
  readonly endpointId: string
  readonly signal: AbortSignal
  readonly except?: ReadonlySet<string>
  readonly affinity?: Affinity | undefined
}

export type RequestBalancer = ReturnType<typeof createRequestBalancer>

type RequestCount = { readonly waiting: number; readonly forOneWorker: number; readonly open: number }

type Choice = { readonly except: ReadonlySet<string>; readonly affinity: Affinity | undefined }

type Waiting = Choice & {
  readonly since: number
  readonly finish: (outcome: { readonly slot: Slot } | { readonly error: AppError }) => void
}

const NOBODY: ReadonlySet<string> = new Set()

export function createRequestBalancer(deps: {
  readonly storage: Pick<Storage, 'endpoints' | 'jobs' | 'runs'>
  readonly clock: Clock
  readonly registry: WorkerRegistry
  readonly fleet: Pick<Fleet, 'capacity' | 'isAway'>
  readonly status: Pick<FleetStatuses, 'of'>
  readonly servers: Pick<WorkflowServers, 'of'>
  readonly groups: Pick<ExclusiveGroups, 'whyWaits'>
  readonly jobCounts: QueueCounts
  readonly onChange: (endpointId: string) => void
}) {
  const { storage, clock, fleet, registry, status, onChange } = deps
  const waiting = new Map<string, Set<Waiting>>()
  const slots = createWorkerSlots({
    clock,
    registry,
    onLeave({ endpointId }) {
      dispatch(endpointId)
      onChange(endpointId)
    },
  })
  let closed = false

  const waitingOf = (endpointId: string) => waiting.get(endpointId) ?? new Set<Waiting>()
  const counts = (endpointId: string) => ({
    waiting: waitingOf(endpointId).size,
    open: openRequests(registry.ofEndpoint(endpointId)),
  })
  const work = addRequests(
    deps.jobCounts,
    (endpointId) => ({ ...counts(endpointId), forOneWorker: countForOneWorker(waitingOf(endpointId)) }),
    () => ({
      waiting: [...waiting.values()].reduce((sum, queue) => sum + queue.size, 0),
      forOneWorker: [...waiting.values()].reduce((sum, queue) => sum + countForOneWorker(queue), 0),
      open: openRequests(registry.all()),
    }),
  )
  const reasonOf = (endpoint: Endpoint, requestSince: number) =>
    waitingReason({ ...deps, counts: work }, endpoint, { requestSince })

  function refusal(endpointId: string): AppError | undefined {
    if (closed) return new AppError('STOPPING')
    const endpoint = storage.endpoints.get(endpointId)
    if (endpoint === undefined) return new AppError('ENDPOINT_NOT_FOUND', { endpointId })
    if (endpoint.config.workersMax === 0)
      return new AppError('ENDPOINT_PAUSED', { endpointId, why: 'has a maximum of 0 workers' })
    if (endpoint.paused) return noWorker(endpoint, 'the endpoint is paused. Resume it to continue.')
    return undefined
  }

  function goneReason(endpointId: string, { workerId, resumes }: Affinity): string | undefined {
    const worker = registry.get(workerId)
    if (worker?.endpointId !== endpointId) return 'it has ended, or belongs to another endpoint.'
    if (worker.state === 'stopping' || !WORKER_DUTIES[worker.duty].takesJobs) return 'it is about to end.'
    if (worker.state === 'paused' && !resumes) return 'it is paused. Use strict-resume to wake it.'
    return undefined
  }

  function goneError(endpointId: string, affinity: Affinity | undefined): AppError | undefined {
    const why = affinity?.isStrict ? goneReason(endpointId, affinity) : undefined
    if (affinity === undefined || why === undefined) return undefined
    return new AppError('AFFINITY_WORKER_GONE', { workerId: affinity.workerId, endpointId, why })
  }

  function choose(endpointId: string, { except, affinity }: Choice, patient: boolean): LiveWorker | undefined {
    const endpoint = storage.endpoints.get(endpointId)
    if (endpoint === undefined) return undefined
    const config = settingsWithFaults(endpoint.config)
    const workers = registry.ofEndpoint(endpointId)
    const ready = workers.filter(
      (worker) =>
        takesJobs(worker) &&
        worker.started?.address !== undefined &&
        !except.has(worker.id) &&
        !fleet.isAway(worker.id) &&
        !isUsedUp(config.faults, worker),
    )
    const share = config.scaler.type === 'REQUEST_COUNT' ? config.scaler.value : config.concurrency
    const rule = { share, moreCome: patient && moreCome(endpointId, workers, config.workersMax) }
    if (affinity?.isStrict) return chooseWithAffinity(ready, affinity, rule)
    // Otherwise requests above the share would keep a worker from the requests that wait for it alone.
    const awaited = new Set(
      [...waitingOf(endpointId)].filter(isForOneWorker).map((request) => request.affinity?.workerId),
    )
    const open = ready.filter(({ id, openRequests }) => openRequests < share || !awaited.has(id))
    return chooseWithAffinity(open, affinity, rule)
  }

  function take(endpointId: string, choice: Choice, patient: boolean): Slot | undefined {
    const worker = choose(endpointId, choice, patient)
    return worker && slots.take(worker, worker.id === choice.affinity?.workerId)
  }

  function moreCome(endpointId: string, workers: readonly LiveWorker[], most: number): boolean {
    if (workers.some(({ state }) => state === 'initializing' || state === 'paused')) return true
    const { decision, crashLoop } = status.of(endpointId).main
    const held = crashLoop !== undefined && crashLoop.backOffUntil > clock.steady()
    return !held && (decision?.throttled ?? 0) === 0 && workers.filter(takesJobs).length < most
  }

  function dispatch(endpointId: string): void {
    const error = refusal(endpointId)
    let earlierWaits = false
    for (const request of [...waitingOf(endpointId)]) {
      const { affinity, except } = request
      // A request that any worker may answer never overtakes an earlier one.
      if (earlierWaits && !affinity?.isStrict) continue
      const refused = error ?? goneError(endpointId, affinity)
      if (refused !== undefined) {
        request.finish({ error: refused })
        continue
      }
      const slot = take(endpointId, request, true)
      if (slot !== undefined) request.finish({ slot })
      else if (affinity?.isStrict) continue
      else if (waitsInVain(endpointId, request)) refuse(endpointId, request)
      else earlierWaits ||= except.size === 0 // others may use the workers that a retry has excluded
    }
  }

  function waitsInVain(endpointId: string, { since }: Waiting): boolean {
    const endpoint = storage.endpoints.get(endpointId)
    return endpoint !== undefined && reasonOf(endpoint, since)?.needsChange === true
  }

  function giveUp(endpointId: string, request: Waiting): void {
    const slot = take(endpointId, request, false)
    if (slot !== undefined) {
      request.finish({ slot })
      return
    }
    refuse(endpointId, request)
  }

  function refuse(endpointId: string, request: Waiting): void {
    const endpoint = storage.endpoints.get(endpointId)
    if (endpoint === undefined) {
      request.finish({ error: new AppError('ENDPOINT_NOT_FOUND', { endpointId }) })
      return
    }
    const { affinity, since } = request
    const reason = affinity?.isStrict
      ? `Worker ${affinity.workerId}, which it asks for, did not become free.`
      : (reasonOf(endpoint, since)?.text ?? 'No worker became free.')
    const why = `${reason} It waited ${Math.round((clock.steady() - since) / 1000)} s.`
    const isDeaf = registry.ofEndpoint(endpointId).some(({ nothingListens }) => nothingListens)
    request.finish({ error: isDeaf ? new AppError('NOTHING_LISTENS', { endpointId, why }) : noWorker(endpoint, why) })
  }

  function join({ endpointId, signal, except = NOBODY, affinity }: EnterOptions): Promise<Slot | undefined> {
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
        affinity,
        finish(outcome) {
          stopWaiting()
          if ('slot' in outcome) resolve(outcome.slot)
          else reject(outcome.error)
        },
      }
      const onAbort = () => {
        stopWaiting()
        onChange(endpointId)
        resolve(undefined)
      }
      const waitMs = limit(affinity?.isStrict ? 'affinityWaitMs' : 'proxyWaitMs')
      const cancelTimer = clock.after(waitMs, () => giveUp(endpointId, request))
      signal.addEventListener('abort', onAbort, { once: true })
      waiting.set(endpointId, queue.add(request))
      onChange(endpointId)
    })
  }

  function enterNow({ endpointId, except = NOBODY, affinity }: Omit<EnterOptions, 'signal'>): Slot | undefined {
    return take(endpointId, { except, affinity }, true)
  }

  /** A strict request comes only before strict ones for its worker. */
  function isNext({ endpointId, affinity }: EnterOptions): boolean {
    const hasSameWorker = (before: Affinity) => affinity?.isStrict && affinity.workerId === before.workerId
    return [...waitingOf(endpointId)].every((before) => before.affinity?.isStrict && !hasSameWorker(before.affinity))
  }

  return {
    /**
     * Waits for a worker, no longer than useful or the limit.
     * @returns undefined on abort
     * @throws AppError NO_WORKER, AFFINITY_WORKER_GONE, NOTHING_LISTENS, ENDPOINT_PAUSED, ENDPOINT_NOT_FOUND, STOPPING
     */
    async enter(options: EnterOptions): Promise<Slot | undefined> {
      if (options.signal.aborted) return undefined
      const error = refusal(options.endpointId) ?? goneError(options.endpointId, options.affinity)
      if (error !== undefined) throw error
      const slot = isNext(options) ? enterNow(options) : undefined
      return slot ?? join(options)
    },
    enterNow,
    dispatch,
    counts,
    work,
    /** Paused workers that a waiting request asks to resume. */
    toResume: (endpointId: string): readonly string[] =>
      [...waitingOf(endpointId)].flatMap(({ affinity }) =>
        affinity?.resumes && registry.get(affinity.workerId)?.state === 'paused' ? [affinity.workerId] : [],
      ),
    /** Wait of the oldest request that any worker may answer, ms; 0: none waits. */
    oldestWaitMs(endpointId: string): number {
      const oldest = [...waitingOf(endpointId)].find((request) => !isForOneWorker(request))
      return oldest === undefined ? 0 : clock.steady() - oldest.since
    },
    drain: slots.drain,
    whenIdle: slots.whenIdle,
    close() {
      closed = true
      slots.close()
      for (const endpointId of [...waiting.keys()]) dispatch(endpointId)
    },
  }
}

function noWorker({ id, config }: Endpoint, why: string): AppError {
  return new AppError('NO_WORKER', { endpointId: id, why, ...(config.noWorkerIs503 === true ? { as503: 1 } : {}) })
}

const isForOneWorker = ({ affinity }: Waiting) => affinity?.isStrict === true

const countForOneWorker = (requests: Iterable<Waiting>) => [...requests].filter(isForOneWorker).length

const openRequests = (workers: readonly LiveWorker[]) => workers.reduce((sum, worker) => sum + worker.openRequests, 0)

/** Counts waiting and open requests like waiting and running jobs. */
function addRequests(
  jobs: QueueCounts,
  requestsOf: (endpointId: string) => RequestCount,
  allRequests: () => RequestCount,
): QueueCounts {
  return {
    of: (endpointId) => {
      const count = requestsOf(endpointId)
      return count.waiting + count.open === 0 ? jobs.of(endpointId) : added(jobs.of(endpointId), count)
    },
    total: () => added(jobs.total(), allRequests()),
    waitingEndpoints: jobs.waitingEndpoints,
  }
}

const added = (count: QueueCount, { waiting, forOneWorker, open }: RequestCount): QueueCount => ({
  ...count,
  normal: count.normal + waiting,
  inProgress: count.inProgress + open,
  forOneWorker,
})
