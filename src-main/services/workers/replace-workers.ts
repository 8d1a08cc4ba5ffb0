/**
 * Replaces the workers of an endpoint whose settings have just changed, without a gap: where it always has a worker, or has
 * work, those of before go on until a new one is ready. They leave then as they would have at once, and also when none
 * becomes ready: from that on it is for scaling, and for its crashes, to say how it goes on.
 */
import type { Fleet, Log, Storage } from '../ports.ts'
import type { WorkerSupervisor } from './supervise.ts'
import { takesJobs, type WorkerRegistry } from './worker-registry.ts'

/** What replacing workers needs. */
export type ReplaceDeps = {
  readonly storage: Pick<Storage, 'endpoints'>
  readonly fleet: Pick<Fleet, 'capacity'>
  readonly registry: Pick<WorkerRegistry, 'ofEndpoint'>
  readonly supervisor: Pick<WorkerSupervisor, 'stage' | 'check'>
  readonly log: Log
}

/** Replaces workers, each endpoint's by itself. */
export type WorkerReplacement = {
  /** To be called when the commit of the settings has settled, before anything else is waited for. */
  readonly begin: (endpointId: string) => void
  /** Gives up what is under way. */
  readonly stop: () => Promise<void>
}

/** Makes the replacement. */
export function createWorkerReplacement(deps: ReplaceDeps): WorkerReplacement {
  const { storage, fleet, registry, supervisor, log } = deps
  const running = new Map<string, { readonly giveUp: AbortController; readonly done: Promise<void> }>()

  async function replace(endpointId: string, signal: AbortSignal): Promise<void> {
    const endpoint = storage.endpoints.get(endpointId)
    const before = registry.ofEndpoint(endpointId).filter(takesJobs)
    if (endpoint === undefined || endpoint.paused || before.length === 0) return
    const isWanted = endpoint.config.workersMin > 0 || before.some(({ state }) => state === 'running')
    // Without a place for one more the old ones have to make it.
    if (!isWanted || fleet.capacity(endpoint.config).free <= 0) return
    for (const worker of before) worker.standsInFor = endpoint.revision
    try {
      const worker = await supervisor.stage(endpoint, signal)
      if (storage.endpoints.get(endpointId)?.revision === endpoint.revision) worker.promote()
      else await worker.discard('the settings of its endpoint changed')
    } catch (error) {
      const why = (error as Error).message
      if (!signal.aborted) log.warn('worker for new settings not ready', { endpointId, why })
    } finally {
      // Newer settings may have asked them to stay longer.
      for (const worker of before) if (worker.standsInFor === endpoint.revision) worker.standsInFor = undefined
      supervisor.check(endpointId)
    }
  }

  return {
    begin(endpointId) {
      running.get(endpointId)?.giveUp.abort(new Error('there are newer settings'))
      const giveUp = new AbortController()
      const done = replace(endpointId, giveUp.signal)
        .catch((error) => log.error('workers not replaced', { endpointId, error }))
        .finally(() => {
          if (running.get(endpointId)?.giveUp === giveUp) running.delete(endpointId)
        })
      running.set(endpointId, { giveUp, done })
    },
    async stop() {
      const all = [...running.values()]
      for (const { giveUp } of all) giveUp.abort(new Error('the service stops'))
      await Promise.all(all.map(({ done }) => done))
    },
  }
}
