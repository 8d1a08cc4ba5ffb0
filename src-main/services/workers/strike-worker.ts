import type { Faults } from '../../contract/faults.ts'
import { tryId, whyKilled } from '../../domain/worker/faults.ts'
import type { Fleet, JobChange, Storage } from '../ports.ts'
import type { LiveWorker } from './worker-registry.ts'

/**
 * Kills a worker, as SIGKILL does, where a fault switch hits what it was just given. It counts as lost, and what it was
 * given is withheld: the end of a container takes long enough for a short job to be done.
 * @param given id of the try or request
 * @returns settles when it has ended, or at once where it was not hit
 */
export async function strikeWorker(
  { fleet }: { readonly fleet: Pick<Fleet, 'stop'> },
  worker: LiveWorker,
  faults: Faults,
  given: string,
): Promise<void> {
  const reason = whyKilled(faults, given)
  if (reason === undefined) return
  worker.killedBy ??= reason
  await fleet.stop(worker.id, 0)
}

/** The same for a job that was just handed out; undefined: its endpoint has no switch on. */
export function strikeForTry(
  deps: { readonly fleet: Pick<Fleet, 'stop'>; readonly storage: Pick<Storage, 'endpoints'> },
  worker: LiveWorker,
  { endpointId, jobId, attempt }: JobChange,
): Promise<void> | undefined {
  const faults = deps.storage.endpoints.get(endpointId)?.config.faults
  return faults && strikeWorker(deps, worker, faults, tryId(jobId, attempt))
}
