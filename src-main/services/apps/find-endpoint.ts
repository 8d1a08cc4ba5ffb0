import type { Manifest } from '../../contract/manifest.ts'
import type { AppPlace } from '../../domain/app/app-place.ts'
import type { Release } from '../ports/apps.ts'
import type { Endpoint, Storage } from '../ports.ts'
import { endpointsOf } from './members.ts'

/** Finds an endpoint of an app by the name of one of its functions or classes, or by its own; undefined: there is none. */
export type FindEndpoint = (wanted: AppPlace & { readonly name: string }) => Endpoint | undefined

type Registry = Manifest['function_registry']

// More environments than these take turns; a manifest is read in well under a millisecond.
const KEPT = 100

/** Makes the finder. It keeps which function is where in each environment, as long as the same release is active. */
export function createFindEndpoint({
  storage,
}: {
  readonly storage: Pick<Storage, 'apps' | 'endpoints'>
}): FindEndpoint {
  const kept = new Map<number, { readonly releaseId: number; readonly registry: Registry }>()

  function registryOf({ id, environmentId, manifest }: Release): Registry {
    const known = kept.get(environmentId)
    if (known?.releaseId === id) return known.registry
    // It was checked when the release was made.
    const { function_registry: registry } = JSON.parse(manifest) as Manifest
    const [oldest] = kept.keys()
    if (known === undefined && kept.size >= KEPT && oldest !== undefined) kept.delete(oldest)
    kept.set(environmentId, { releaseId: id, registry })
    return registry
  }

  return ({ app, environment: environmentName, name }) => {
    const environment = storage.apps.environment(app, environmentName)
    if (environment === undefined) return undefined
    const endpoints = endpointsOf(storage, environment)
    const called = (resource: string) => endpoints.find((endpoint) => endpoint.app.resource === resource)
    const active = storage.apps.releaseIn(environment.id, 'active')
    const registry = active === undefined ? {} : registryOf(active)
    const byFunction = Object.hasOwn(registry, name) ? called(registry[name] ?? '') : undefined
    return byFunction ?? called(name)
  }
}
