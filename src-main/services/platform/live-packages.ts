/**
 * Packages of the system that live sources ask for. A development session names them in its calls alone, and a container
 * has no right to install any: so the endpoint gets them as a setting, and the worker image is built with them before the
 * call is handed out. A process uses what this machine has; its log and the errors of its calls name what is missing.
 */
import type { EndpointConfig } from '../../contract/endpoint.ts'
import type { Json } from '../../domain/json/json.ts'
import { type NewEndpointDeps, updateEndpoint } from '../endpoints/endpoints.ts'
import type { ReadsInThread } from '../ports/read-in-thread.ts'
import type { Endpoint } from '../ports/storage.ts'
import type { WorkerRegistry } from '../worker-registry.ts'
import type { WorkerSupervisor } from '../workers/supervise.ts'
import { isTaskEndpoint } from './endpoints.ts'

/** What it takes to give an endpoint packages. */
export type LivePackagesDeps = NewEndpointDeps &
  ReadsInThread & {
    readonly registry: Pick<WorkerRegistry, 'ofEndpoint'>
    readonly supervisor: Pick<WorkerSupervisor, 'leave'>
  }

/** The variable that a development session sets. Source: docs/spec/platform.md, 4. */
const LIVE = 'RUNPOD_DEV_RESOURCE'

/** Whether calls of an endpoint bring their source, and with it what it needs, to workers of our image. */
const takesPackages = (config: EndpointConfig): boolean =>
  config.container !== undefined &&
  config.container.image === undefined &&
  (config.env[LIVE] !== undefined || isTaskEndpoint(config))

/**
 * The endpoint with the packages that a call asks for; to be called before the call is queued. Workers without them take
 * nothing more.
 * @throws AppError ENDPOINT_NOT_FOUND when it was deleted meanwhile
 */
export async function withLivePackages(deps: LivePackagesDeps, endpoint: Endpoint, input: Json): Promise<Endpoint> {
  const { config } = endpoint
  if (!takesPackages(config)) return endpoint
  const before = config.container?.systemPackages ?? []
  const asked = await deps.readInThread('systemPackages', input)
  const missing = ('problem' in asked ? [] : asked).filter((name) => !before.includes(name))
  if (missing.length === 0) return endpoint
  const changed = await updateEndpoint(deps, endpoint, { container: { systemPackages: [...before, ...missing] } })
  for (const worker of deps.registry.ofEndpoint(endpoint.id))
    if (worker.revision !== changed.revision)
      deps.supervisor.leave(worker.id, `its image lacks ${missing.join(', ')}`, false)
  return changed
}
