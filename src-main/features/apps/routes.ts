import type { Context } from 'hono'
import { limit } from '../../contract/limits.ts'
import { followView } from '../../http/follow-view.ts'
import { DONE, type ManagementOperations } from '../../http/operation.ts'
import type { Environment, Release } from '../../storage/storage.ts'
import type { ServiceBase, ServiceContext } from '../service-context.ts'
import {
  createEnvironment,
  deleteApp,
  deleteEnvironment,
  findOrCreateEnvironment,
  moveEnvironment,
  requireApp,
  requireEnvironment,
  requireRelease,
  undeploy,
} from './environments.ts'
import { planRollback, showPlan } from './plan-release.ts'
import { updateVariables } from './variables.ts'
import { viewApp, viewApps, viewEnvironment, viewEnvironmentRow, viewProgress, viewRelease } from './views.ts'

type Services = ServiceBase & Pick<ServiceContext, 'releases' | 'fleet' | 'processHost' | 'pythonPackages'>

type EnvironmentPath = { readonly app: string; readonly environment: string }

function environmentOf(path: EnvironmentPath, service: Services): Environment {
  return requireEnvironment(service, path.app, path.environment)
}

export const APP_MANAGEMENT = {
  appList: (_request, service) => ({ apps: viewApps(service) }),
  appRead: ({ path }, service) => viewApp(service, requireApp(service, path.app)),
  async appDelete({ path }, service) {
    await deleteApp(service, requireApp(service, path.app))
    return DONE
  },
  async environmentCreate({ path, body }, service) {
    return viewEnvironmentRow(service, await createEnvironment(service, path.app, body.name, body.machine))
  },
  environmentRead: ({ path }, service) => viewEnvironment(service, environmentOf(path, service)),
  async environmentUpdate({ path, body }, service) {
    return viewEnvironment(service, await moveEnvironment(service, environmentOf(path, service), body.machine))
  },
  async environmentDelete({ path }, service) {
    await deleteEnvironment(service, environmentOf(path, service))
    return DONE
  },
  environmentUndeploy: async ({ path }, service) => ({
    deleted: await undeploy(service, environmentOf(path, service)),
  }),
  async variablesUpdate({ path, body }, service) {
    const { changed, unreleased } = await updateVariables(service, environmentOf(path, service), body)
    const { variables } = viewEnvironment(service, environmentOf(path, service))
    return { variables, changed, unreleased }
  },
} as const satisfies Partial<ManagementOperations<Services>>

function releaseOf(path: EnvironmentPath & { readonly number: number }, service: Services) {
  const environment = environmentOf(path, service)
  return { environment, release: requireRelease(service, environment, path.number) }
}

export const RELEASE_OPERATIONS = {
  async planCreate({ path, body }, service) {
    const { artifact, ...wanted } = body
    return await showPlan(service, { ...wanted, ...path, code: artifact ?? body.manifest.source_fingerprint })
  },
  releaseList({ path }, service) {
    const environment = environmentOf(path, service)
    const releases = service.storage.apps.releases(environment.id, limit('releasesKept'))
    return { releases: releases.map((release) => viewRelease(service.storage, environment, release)) }
  },
  async releaseCreate({ path, body }, service) {
    const isNew = !('release' in body.source || 'active' in body.source)
    const environment = isNew
      ? await findOrCreateEnvironment(service, path.app, path.environment)
      : environmentOf(path, service)
    const release = await service.releases.create(environment, body)
    return viewProgress(service, environment, release)
  },
  releaseRead({ c, path, query }, service) {
    const { environment, release } = releaseOf(path, service)
    if (query.follow === 'true') return followRelease(c, service, environment, release)
    return viewProgress(service, environment, release)
  },
  async releasePlan({ path }, service) {
    const { environment, release } = releaseOf(path, service)
    return await planRollback(service, environment, release)
  },
  async releaseCancel({ path }, service) {
    const { environment, release } = releaseOf(path, service)
    await service.releases.cancel(release, 'it was cancelled')
    return viewProgress(service, environment, release)
  },
} as const satisfies Partial<ManagementOperations<Services>>

function followRelease(c: Context, service: Services, environment: Environment, release: Release): Response {
  const { releases, stopping, storage } = service
  return followView(c, {
    ...{ notifier: releases.notifier, stopping, durable: storage.durable, event: 'release' },
    view: () => viewProgress(service, environment, release),
    isLast: (progress) => progress.release.state !== 'preparing' && releases.run(release)?.ended !== false,
  })
}

/** Uploads of artifacts in parts; after an interruption, the client asks for the position and continues. */
export const ARTIFACT_OPERATIONS = {
  artifactRead: async ({ path }, { storage }) => await storage.artifacts.status(path.artifact),
  async artifactWrite({ path, query, body }, { storage }) {
    return await storage.artifacts.append(path.artifact, query, body)
  },
} as const satisfies Partial<ManagementOperations<Pick<ServiceBase, 'storage'>>>
