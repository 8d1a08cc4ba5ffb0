/**
 * Rolling replacement after a settings change: old workers of a pool with work, or with a minimum, stay until a new one
 * is ready. If none becomes ready they leave too, and scaling and crash handling continue.
 */

import { WORKER_POOLS, type WorkerPool } from '../../contract/endpoint.ts'
import type { Log } from '../../lib/clock.ts'
import type { Fleet } from '../../runtimes/port.ts'
import type { Endpoint, Storage } from '../../storage/storage.ts'
import { hasSeveralServers } from '../workflows/rules/server-address.ts'
import type { FleetStatuses } from './registry/fleet-status.ts'
import type { WorkerRegistry } from './registry/worker-registry.ts'
import { settingsOfPool } from './rules/pools.ts'
import { replaces, SETTINGS_CHANGED } from './rules/scaling.ts'
import { takesJobs } from './rules/transitions.ts'
import { slotsForOthers } from './share-slots.ts'
import type { WorkerSupervisor } from './supervise.ts'

export function createSettingsRollout(deps: {
  readonly storage: Pick<Storage, 'endpoints'>
  readonly fleet: Pick<Fleet, 'capacity'>
  readonly registry: Pick<WorkerRegistry, 'all' | 'ofEndpoint' | 'move'>
  readonly status: Pick<FleetStatuses, 'throttled'>
  readonly supervisor: Pick<WorkerSupervisor, 'stage' | 'check'>
  readonly log: Log
}) {
  const { storage, fleet, registry, supervisor, log } = deps
  const running = new Map<string, { readonly giveUp: AbortController; readonly done: Promise<void> }>()

  async function rollOut(endpointId: string, signal: AbortSignal): Promise<void> {
    const endpoint = storage.endpoints.get(endpointId)
    // A new worker would need a server that has one.
    if (endpoint === undefined || endpoint.paused || hasSeveralServers(endpoint.config.workflows)) return
    await Promise.all(WORKER_POOLS.map((pool) => rollOutPool(endpoint, pool, signal)))
  }

  async function rollOutPool(endpoint: Endpoint, pool: WorkerPool, signal: AbortSignal): Promise<void> {
    const { id: endpointId, config } = endpoint
    const before = registry.ofEndpoint(endpointId).filter((worker) => worker.pool === pool && takesJobs(worker))
    if (before.length === 0) return
    const { workersMin, workersMax } = settingsOfPool(config, pool)
    const isWanted = workersMax > 0 && (workersMin > 0 || before.some(({ state }) => state === 'running'))
    // Without a free slot the old ones must leave theirs.
    const others = pool === 'batch' ? slotsForOthers(deps, endpoint) : 0
    if (!isWanted || fleet.capacity(config).free <= others) return
    for (const worker of before) registry.move(worker, 'standIn', { standsInFor: endpoint.revision })
    try {
      const worker = await supervisor.stage(endpoint, { pool, because: replaces(SETTINGS_CHANGED), signal })
      if (storage.endpoints.get(endpointId)?.revision === endpoint.revision) worker.promote()
      else await worker.discard(SETTINGS_CHANGED)
    } catch (error) {
      const why = (error as Error).message
      if (!signal.aborted) log.warn('worker for new settings not ready', { endpointId, pool, why })
    } finally {
      for (const worker of before) if (worker.standsInFor === endpoint.revision) registry.move(worker, 'standDown')
      supervisor.check(endpointId)
    }
  }

  return {
    /** Call right after the settings are committed, before awaiting anything else. */
    begin(endpointId: string) {
      running.get(endpointId)?.giveUp.abort(new Error('there are newer settings'))
      const giveUp = new AbortController()
      const done = rollOut(endpointId, giveUp.signal)
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
