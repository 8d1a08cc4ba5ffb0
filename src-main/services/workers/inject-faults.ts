/** What the fault injection of an endpoint does to its workers; the settings are in domain/worker/faults.ts. */
import type { EndpointConfig } from '../../contract/endpoint.ts'
import type { Faults } from '../../contract/faults.ts'
import { faultReason, tryId, whyKilled } from '../../domain/worker/faults.ts'
import type { Fleet } from '../ports/fleet.ts'
import type { JobChange, Storage } from '../ports/storage.ts'
import type { LiveWorker, WorkerRegistry } from '../worker-registry.ts'

/**
 * Kills a worker, as SIGKILL does, where an injected fault hits what it was just given. It counts as lost, and what it
 * was given is withheld: the end of a container takes long enough for a short job to be done.
 * @param given id of the try or request
 * @returns resolves when it has ended, or at once where it was not hit
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

/** The same for a job that was just handed out; undefined: its endpoint has no switch on. */
export function injectKillForTry(
  deps: Parameters<typeof injectKill>[0] & { readonly storage: Pick<Storage, 'endpoints'> },
  worker: LiveWorker,
  { endpointId, jobId, attempt }: JobChange,
): Promise<void> | undefined {
  const faults = deps.storage.endpoints.get(endpointId)?.config.faults
  return faults && injectKill(deps, worker, faults, tryId(jobId, attempt))
}

const NOWHERE = { free: 0, reason: undefined }
// Somebody turns it off, as when a region has capacity again.
const THROTTLED = { free: 0, reason: faultReason('throttle') }

/** How many more workers of an endpoint find a slot, and why not more; undefined settings: it is gone. */
export function findCapacity(
  fleet: Pick<Fleet, 'capacity'>,
  config: EndpointConfig | undefined,
): ReturnType<Fleet['capacity']> {
  if (config === undefined) return NOWHERE
  return config.faults?.throttle === true ? THROTTLED : fleet.capacity(config)
}
