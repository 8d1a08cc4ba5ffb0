/** Apps for tests as a deploy leaves them: an active release, and an endpoint for each resource of its manifest. */
import { endpointConfig } from '../../src-main/contract/endpoint.ts'
import type { Manifest, ManifestResource } from '../../src-main/contract/manifest.ts'
import { systemIds } from '../../src-main/http/server/system-ports.ts'
import { manifestOf } from './app-folder.ts'
import type { TestService } from './core.ts'

export type AppToDeploy = {
  /** By name within the app. The endpoint's id is the name, after `idPrefix`. */
  readonly resources: Readonly<Record<string, Partial<ManifestResource>>>
  readonly app?: string
  readonly environment?: string
  readonly idPrefix?: string
  readonly routes?: Manifest['routes']
  /** Further settings of all endpoints. */
  readonly settings?: object
}

/**
 * Writes the records of a deploy; each endpoint keeps one worker. One that is there already stays as it is.
 * @returns the key of each new endpoint, by its id
 */
export async function deployApp(service: TestService, wanted: AppToDeploy): Promise<Readonly<Record<string, string>>> {
  const { resources, app = 'shop', environment: name = 'production', idPrefix = '', routes, settings } = wanted
  const storage = service.storage()
  const now = service.clock.wall()
  const manifest = manifestOf(resources, 'a', routes)
  const keys: Record<string, string> = {}
  await storage.write(() => {
    storage.apps.createApp(app, now)
    const environment = storage.apps.createEnvironment(app, name, now) ?? storage.apps.environment(app, name)
    const release = storage.apps.createRelease(
      {
        environmentId: environment?.id ?? 0,
        fingerprint: manifest.source_fingerprint,
        artifact: null,
        folder: '/code',
        manifest: JSON.stringify(manifest),
        runsOn: 'processes',
        rollbackOf: null,
        kind: 'deploy',
        git: null,
      },
      now,
    )
    const before = storage.apps.releaseIn(environment?.id ?? 0, 'active')
    if (before !== undefined) storage.apps.moveRelease(before.id, 'supersede', undefined, now)
    storage.apps.moveRelease(release?.id ?? 0, 'activate', undefined, now)
    for (const [resource, { makesRemoteCalls, is_load_balanced: isLoadBalanced }] of Object.entries(
      manifest.resources,
    )) {
      const id = `${idPrefix}${resource}`
      if (storage.endpoints.get(id) !== undefined) continue
      const config = endpointConfig.parse({
        name: `${resource} (${app}/${name})`,
        command: 'a-worker',
        workersMin: 1,
        workersMax: 1,
        idleTimeoutMs: 3_600_000,
        callsOthers: makesRemoteCalls,
        ...(isLoadBalanced ? { loadBalanced: {} } : {}),
        app: { name: app, environment: name, resource, code: 'a', variables: 0 },
        ...settings,
      })
      const key = systemIds.key()
      const endpoint = { id, config, paused: false, keyHash: systemIds.hash(key), revision: 1 }
      storage.endpoints.save({ ...endpoint, createdAt: now, updatedAt: now }, 'created', now)
      keys[id] = key
    }
  })
  return keys
}
