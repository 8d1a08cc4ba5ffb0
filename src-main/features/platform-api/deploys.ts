/**
 * Deploys by the platform's tools, which activate a build before saving its endpoints. The build waits until all are
 * saved, then becomes a normal release.
 */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { MANIFEST_FILE, type Manifest } from '../../contract/manifest.ts'
import { PLATFORM_MANIFEST_FILE } from '../../contract/platform-manifest.ts'
import type { Clock, NewId } from '../../lib/clock.ts'
import type { Environment, Release, Storage } from '../../storage/storage.ts'
import { endpointsOf } from '../apps/environment-endpoints.ts'
import { type OpenSourceDeps, parseManifest, unpackedFolder } from '../apps/release-source.ts'
import type { Releases } from '../apps/releases.ts'
import { refuseSchedules, scheduledIn } from '../apps/rules/app-schedules.ts'
import { endpointIdFrom } from '../endpoints/rules/ids.ts'
import type { Settings } from '../settings/settings.ts'
import { type SavedEndpoint, savedResources, withSaved } from './rules/manifest.ts'

export type PlatformDeploys = ReturnType<typeof createPlatformDeploys>

type Saved = { readonly id: string; readonly problem: string | undefined }

type Deploy = {
  readonly build: string
  readonly manifest: Manifest
  readonly saved: Map<string, SavedEndpoint>
  readonly ids: Map<string, string>
  readonly endsAt: number
}

export function createPlatformDeploys(
  deps: Omit<OpenSourceDeps, 'storage'> & {
    readonly storage: Storage
    readonly clock: Clock
    readonly newId: NewId
    readonly releases: Pick<Releases, 'create' | 'run' | 'notifier'>
    readonly settings: Pick<Settings, 'get'>
    readonly stopping: AbortSignal
  },
) {
  const { storage, clock, newId, releases, settings } = deps
  const deploys = new Map<number, Deploy>()

  async function open(build: string): Promise<Deploy> {
    const folder = await unpackedFolder(deps, build, deps.stopping)
    const text = await deps.readManifest(folder)
    if (text === undefined)
      throw new AppError('BAD_FIELD', {
        field: 'flashBuildId',
        why: `there is neither ${PLATFORM_MANIFEST_FILE} nor ${MANIFEST_FILE} in the build`,
      })
    const manifest = parseManifest(text, build)
    refuseSchedules(scheduledIn(manifest), settings.get().appSchedules)
    return { build, manifest, saved: new Map(), ids: new Map(), endsAt: clock.steady() + limit('uploadMs') }
  }

  function waitingIn({ id }: Environment): Deploy | undefined {
    const deploy = deploys.get(id)
    return deploy !== undefined && deploy.endsAt > clock.steady() ? deploy : undefined
  }

  function idFor(environment: Environment, { ids }: Deploy, resource: string): string {
    const there = endpointsOf(storage, { app: environment.app, name: environment.name })
    const known = there.find(({ app }) => app.resource === resource)?.id ?? ids.get(resource)
    if (known !== undefined) return known
    const taken = new Set(ids.values())
    const id = endpointIdFrom(
      resource,
      (wanted) => taken.has(wanted) || storage.endpoints.get(wanted) !== undefined,
      newId.worker,
    )
    ids.set(resource, id)
    return id
  }

  async function release(
    environment: Environment,
    { build, manifest, saved, ids }: Deploy,
  ): Promise<string | undefined> {
    deploys.delete(environment.id)
    const text = JSON.stringify(withSaved(manifest, saved))
    const source = { artifact: build, manifest: text }
    const made = await releases.create(environment, { source, ids, deletes: [], withoutImages: false })
    return await problemOf(environment, made)
  }

  // The tools wait one minute; a slower release continues and is visible on pages.
  async function problemOf(environment: Environment, { id, number }: Release): Promise<string | undefined> {
    const until = clock.steady() + limit('saveWaitMs')
    for (;;) {
      const leftMs = until - clock.steady()
      const run = releases.run({ id })
      const now = storage.apps.release(environment.id, number)
      if (now === undefined || now.state !== 'preparing') {
        if (now?.state !== 'failed') return undefined
        return `Release ${number} of ${environment.app} failed, and what served before still serves: ${now.reason}`
      }
      if (run === undefined || run.ended || leftMs <= 0 || deps.stopping.aborted) return undefined
      await releases.notifier.wait(leftMs, deps.stopping)
    }
  }

  return {
    /**
     * @param build SHA-256 of its artifact
     * @returns why a release without endpoints failed
     * @throws AppError ARTIFACT_NOT_FOUND, BAD_FIELD, SCHEDULES_NOT_SUPPORTED, and those of a release
     */
    async activate(environment: Environment, build: string): Promise<string | undefined> {
      const deploy = await open(build)
      deploys.set(environment.id, deploy)
      const isWhole = savedResources(deploy.manifest).length === 0
      return isWhole ? await release(environment, deploy) : undefined
    },
    /**
     * Saves an endpoint; the build's last one releases it and waits briefly.
     * @returns its id, and why the release failed, if so
     * @throws AppError BAD_FIELD without a pending build or such a resource; those of a release
     */
    async save(environment: Environment, endpoint: SavedEndpoint): Promise<Saved> {
      const deploy = waitingIn(environment)
      if (deploy === undefined)
        throw new AppError('BAD_FIELD', {
          field: 'flashEnvironmentId',
          why: 'has no build that waits for its endpoints. Deploy a build to it first',
        })
      const wanted = savedResources(deploy.manifest).map(([name]) => name)
      if (!wanted.includes(endpoint.name))
        throw new AppError('BAD_FIELD', {
          field: 'name',
          why: `must be a resource of the build: ${wanted.join(', ')}`,
        })
      const id = idFor(environment, deploy, endpoint.name)
      deploy.saved.set(endpoint.name, endpoint)
      const isWhole = wanted.every((name) => deploy.saved.has(name))
      return { id, problem: isWhole ? await release(environment, deploy) : undefined }
    },
  }
}
