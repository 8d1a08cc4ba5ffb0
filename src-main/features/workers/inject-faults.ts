import type { EndpointConfig } from '../../contract/endpoint.ts'
import type { Faults } from '../../contract/faults.ts'
import type { Fleet } from '../../runtimes/port.ts'
import type { JobChange, Storage } from '../../storage/storage.ts'
import type { LiveWorker, WorkerRegistry } from './registry/worker-registry.ts'
import { faultReason, tryId, whyKilled } from './rules/faults.ts'

/**
 * Kills a worker, which counts as lost, if a fault hits what it was given. That is withheld, as a short job could
 * finish before a container ends.
 * @param given attempt or request id
 * @returns resolves at its end, or at once if not hit
 */
export async function injectKill(
  { fleet, registry }: { readonly fleet: Pick<Fleet, 'stop'>; readonly registry: Pick<WorkerRegistry, 'move'> },
  worker: LiveWorker,
  faults: Faults,
  given: string,
): Promise<void> {
  const reason = whyKilled(faults, given)
  if (reason === undefined) return
  registry.move(worker, 'kill', { killedBy: reason })
  await fleet.stop(worker.id, 0)
}

export function injectKillForTry(
  deps: Parameters<typeof injectKill>[0] & { readonly storage: Pick<Storage, 'endpoints'> },
  worker: LiveWorker,
  { endpointId, jobId, attempt }: JobChange,
): Promise<void> | undefined {
  const faults = deps.storage.endpoints.get(endpointId)?.config.faults
  return faults && injectKill(deps, worker, faults, tryId(jobId, attempt))
}

const NOWHERE = { free: 0, reason: undefined }
const THROTTLED = { free: 0, reason: faultReason('throttle') }

/** Slots for an endpoint, and why not more; undefined settings: it is gone. */
export function findCapacity(
  fleet: Pick<Fleet, 'capacity'>,
  config: EndpointConfig | undefined,
): ReturnType<Fleet['capacity']> {
  if (config === undefined) return NOWHERE
  return config.faults?.throttle === true ? THROTTLED : fleet.capacity(config)
}
