/**
 * Manual replacement, one worker per endpoint at a time. With a free slot the new worker starts first, otherwise the
 * old one leaves first; if the new one fails, the old one stays.
 */
import type { ReplacementOrder } from '../../contract/workers.ts'
import type { Clock, Log } from '../../lib/clock.ts'
import type { Fleet } from '../../runtimes/port.ts'
import type { Storage } from '../../storage/storage.ts'
import type { LiveWorker, WorkerRegistry } from './registry/worker-registry.ts'
import { isLive } from './rules/transitions.ts'
import { whenEnded } from './stage-worker.ts'
import type { WorkerSupervisor } from './supervise.ts'

type HandReplacementDeps = {
  readonly storage: Pick<Storage, 'endpoints' | 'workers' | 'write'>
  readonly clock: Clock
  readonly fleet: Pick<Fleet, 'capacity'>
  readonly registry: WorkerRegistry
  readonly supervisor: Pick<WorkerSupervisor, 'stage' | 'leave' | 'giveWay' | 'check'>
  readonly log: Log
}

export type HandReplacement = ReturnType<typeof createHandReplacement>

const REASON = 'replaced by hand'

export function createHandReplacement(deps: HandReplacementDeps) {
  const { storage, fleet, registry, log } = deps
  const stopping = new AbortController()
  const chains = new Map<string, Promise<boolean>>()
  const underWay = new Set<LiveWorker>()

  function orderFor({ endpointId }: LiveWorker): ReplacementOrder {
    const endpoint = storage.endpoints.get(endpointId)
    return endpoint !== undefined && fleet.capacity(endpoint.config).free > 0 ? 'new first' : 'old first'
  }

  async function replace(worker: LiveWorker): Promise<boolean> {
    if (stopping.signal.aborted || !isLive(worker.state)) return true
    try {
      if (orderFor(worker) === 'new first') await newFirst(deps, worker, stopping.signal)
      else await oldFirst(deps, worker, stopping.signal)
      return true
    } catch (error) {
      const why = (error as Error).message
      if (stopping.signal.aborted) return false
      log.warn('worker not replaced', { workerId: worker.id, why })
      say(worker, `not replaced: ${why}`)
      return false
    } finally {
      deps.supervisor.check(worker.endpointId)
    }
  }

  function say(worker: LiveWorker, text: string): void {
    if (worker.state === 'ended') return
    registry.note(worker, { replacement: text })
    const { id: workerId, endpointId, state } = worker
    const change = { endpointId, workerId, from: state, state, reason: text, now: deps.clock.now() }
    storage
      .write(() => storage.workers.recordState(change))
      .catch((error) => log.warn('worker event not recorded', { workerId, error }))
  }

  function enqueue(workers: readonly LiveWorker[]): void {
    for (const worker of workers) {
      if (underWay.has(worker)) continue
      underWay.add(worker)
      say(worker, 'is being replaced')
      const before = chains.get(worker.endpointId) ?? Promise.resolve(true)
      const chain = before.then(async (goesOn) => {
        if (goesOn) return replace(worker)
        say(worker, 'not replaced: the previous new worker did not become ready')
        return false
      })
      chains.set(worker.endpointId, chain)
      void chain.finally(() => {
        underWay.delete(worker)
        if (chains.get(worker.endpointId) === chain) chains.delete(worker.endpointId)
      })
    }
  }

  return {
    begin(worker: LiveWorker): ReplacementOrder {
      const order = orderFor(worker)
      enqueue([worker])
      return order
    },
    beginAll(endpointId: string): readonly string[] {
      const workers = registry.ofEndpoint(endpointId).filter(({ state, duty }) => duty !== 'staged' && isLive(state))
      enqueue(workers)
      return workers.map(({ id }) => id)
    },
    async stop() {
      stopping.abort(new Error('the service stops'))
      await Promise.all(chains.values())
    },
  }
}

async function newFirst({ storage, supervisor }: HandReplacementDeps, worker: LiveWorker, signal: AbortSignal) {
  const endpoint = storage.endpoints.get(worker.endpointId)
  if (endpoint === undefined) return
  const next = await supervisor.stage(endpoint, { pool: worker.pool, because: 'replaces a worker by hand', signal })
  if (storage.endpoints.get(endpoint.id)?.revision !== endpoint.revision) {
    await next.discard('the settings of its endpoint changed')
    return
  }
  next.promote()
  supervisor.leave(worker.id, REASON, false)
}

async function oldFirst(deps: HandReplacementDeps, worker: LiveWorker, signal: AbortSignal): Promise<void> {
  const { storage, supervisor } = deps
  const release = await supervisor.giveWay(worker.endpointId, () => true, signal)
  try {
    supervisor.leave(worker.id, REASON, false)
    await whenEnded(deps, worker, signal)
    const endpoint = storage.endpoints.get(worker.endpointId)
    if (endpoint === undefined || signal.aborted) return
    const next = await supervisor.stage(endpoint, { pool: worker.pool, because: 'replaces a worker by hand', signal })
    next.promote()
  } finally {
    release()
  }
}
