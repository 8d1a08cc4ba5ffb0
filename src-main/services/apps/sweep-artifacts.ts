import { limit } from '../../contract/limits.ts'
import type { ArtifactFiles, Environment } from '../ports/apps.ts'
import type { Clock, Storage } from '../ports.ts'
import type { WorkerRegistry } from '../workers/worker-registry.ts'
import { endpointsOf } from './members.ts'

type Deps = {
  readonly storage: Storage
  readonly clock: Pick<Clock, 'now'>
  readonly registry: Pick<WorkerRegistry, 'ofEndpoint'>
}

/** Deletes artifacts that no release has, and unpacked ones from which no endpoint and no worker runs. */
export async function sweepArtifacts(deps: Deps): Promise<void> {
  await deps.storage.artifacts.sweep(artifactsInUse(deps), deps.clock.now())
}

/** The artifacts that some release has, and those that have to stay unpacked. */
export function artifactsInUse(deps: Omit<Deps, 'clock'>): Parameters<ArtifactFiles['sweep']>[0] {
  const { storage } = deps
  const running = storage.endpoints.all().flatMap(({ config: { app } }) => app?.code ?? [])
  const preparing = storage.apps.preparing().flatMap(({ artifact }) => artifact ?? [])
  const lastJobs = storage.apps.environments().flatMap((environment) => artifactsOfWorkers(deps, environment))
  const unpacked = new Set([...running, ...preparing, ...lastJobs])
  return { artifacts: storage.apps.artifacts(), unpacked }
}

/**
 * Of the releases of an environment those with which a worker can have been started that still lives: one of before may
 * run its last job for days, and imports what it needs when it needs it.
 */
function artifactsOfWorkers({ storage, registry }: Omit<Deps, 'clock'>, environment: Environment): readonly string[] {
  const workers = endpointsOf(storage, environment).flatMap(({ id }) => registry.ofEndpoint(id))
  if (workers.length === 0) return []
  const oldest = Math.min(...workers.map(({ startedWallAt }) => startedWallAt))
  return storage.apps
    .releases(environment.id, limit('releasesKept'))
    .flatMap(({ artifact, endedAt }) => (artifact !== null && (endedAt ?? oldest) >= oldest ? [artifact] : []))
}
