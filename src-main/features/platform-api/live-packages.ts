/**
 * System packages of live sources. Sessions name them only in calls and containers may not install, so they become a
 * setting and the image is built before dispatch. Processes use the machine's packages.
 */
import type { EndpointConfig } from '../../contract/endpoint.ts'
import type { InThread } from '../../lib/in-thread.ts'
import type { Json } from '../../lib/json/bytes.ts'
import type { Endpoint } from '../../storage/storage.ts'
import { type NewEndpointDeps, updateEndpoint } from '../endpoints/endpoints.ts'
import type { WorkerRegistry } from '../workers/registry/worker-registry.ts'
import type { WorkerSupervisor } from '../workers/supervise.ts'
import { isTaskEndpoint } from './endpoints.ts'
import type { PackageReaders } from './ports.ts'

export type LivePackagesDeps = NewEndpointDeps & {
  readonly readInThread: InThread<PackageReaders>
  readonly registry: Pick<WorkerRegistry, 'ofEndpoint'>
  readonly supervisor: Pick<WorkerSupervisor, 'leave'>
}

/** Variable that a development session sets. Source: docs/spec/platform.md, 4. */
const LIVE = 'RUNPOD_DEV_RESOURCE'

const takesPackages = (config: EndpointConfig): boolean =>
  config.container !== undefined &&
  config.container.image === undefined &&
  (config.env[LIVE] !== undefined || isTaskEndpoint(config))

/** Call before queueing. Workers without the call's packages take no more jobs. */
export async function withLivePackages(deps: LivePackagesDeps, endpoint: Endpoint, input: Json): Promise<Endpoint> {
  const { config } = endpoint
  if (!takesPackages(config)) return endpoint
  const before = config.container?.systemPackages ?? []
  const asked = await deps.readInThread.systemPackages(input)
  const missing = ('problem' in asked ? [] : asked).filter((name) => !before.includes(name))
  if (missing.length === 0) return endpoint
  const changed = await updateEndpoint(deps, endpoint, { container: { systemPackages: [...before, ...missing] } })
  for (const worker of deps.registry.ofEndpoint(endpoint.id))
    if (worker.revision !== changed.revision)
      deps.supervisor.leave(worker.id, `its image lacks ${missing.join(', ')}`, false)
  return changed
}
