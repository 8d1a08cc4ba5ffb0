/** Batch workers use only slots that no main worker wants, and give them up. Source: docs/spec/batches.md, 6. */
import { THIS_MACHINE } from '../../contract/machines.ts'
import type { Endpoint, Storage } from '../../storage/storage.ts'
import type { FleetStatuses } from './registry/fleet-status.ts'
import type { LiveWorker, WorkerRegistry } from './registry/worker-registry.ts'
import { mayFreeSlot, toGiveWay } from './rules/pools.ts'

type Deps = {
  readonly storage: Pick<Storage, 'endpoints'>
  readonly registry: Pick<WorkerRegistry, 'all'>
  readonly status: Pick<FleetStatuses, 'throttled'>
}

/** Slots that a batch worker of the endpoint must leave free for main workers. */
export function slotsForOthers({ storage, registry, status }: Deps, { config }: Pick<Endpoint, 'config'>): number {
  const wants = (endpointId: string) => {
    const other = storage.endpoints.get(endpointId)?.config
    return other !== undefined && mayFreeSlot(config, other)
  }
  const wanted = status
    .throttled('main')
    .filter(([endpointId, { neverStarts }]) => neverStarts !== true && !isHeldByFault(storage, endpointId))
    .reduce((sum, [endpointId, { throttled }]) => sum + (wants(endpointId) ? throttled : 0), 0)
  const coming = registry
    .all()
    .filter(({ pool, state, started }) => pool === 'main' && state === 'initializing' && started === undefined)
  return wanted + coming.filter(({ endpointId }) => wants(endpointId)).length
}

const isHeldByFault = ({ endpoints }: Pick<Storage, 'endpoints'>, endpointId: string) =>
  endpoints.get(endpointId)?.config.faults?.throttle === true

/** They leave their slots to main workers after their current jobs. */
export function batchWorkersToEnd(
  { storage, registry }: Omit<Deps, 'status'>,
  { config }: Pick<Endpoint, 'config'>,
  wanted: number,
): readonly LiveWorker[] {
  const holders = registry.all().filter(({ pool, endpointId, machine = THIS_MACHINE }) => {
    const held = pool === 'batch' ? storage.endpoints.get(endpointId)?.config : undefined
    if (held === undefined) return false
    return mayFreeSlot({ container: held.container && { ...held.container, machine } }, config)
  })
  return toGiveWay(holders, wanted)
}
