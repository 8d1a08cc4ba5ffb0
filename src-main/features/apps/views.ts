import type {
  AppView,
  DeployedEndpoint,
  EnvironmentDetail,
  EnvironmentView,
  ReleaseProgress,
  ReleaseView,
} from '../../contract/app.ts'
import { limit } from '../../contract/limits.ts'
import type { ManifestResource } from '../../contract/manifest.ts'
import { present } from '../../lib/json/plain.ts'
import type { App, Endpoint, Environment, Release, Storage } from '../../storage/storage.ts'
import { addressesOf } from '../endpoints/views.ts'
import { endpointsOf } from './environment-endpoints.ts'
import { gitOf } from './release-source.ts'
import { missingEndpoints } from './rules/missing-endpoints.ts'
import { listVariables } from './variables.ts'

type Deps = { readonly storage: Storage }

type AddressedDeps = Deps & { readonly info: () => { readonly url: string } }

type ProgressDeps = AddressedDeps & {
  readonly releases: { readonly run: (release: Release) => Pick<ReleaseProgress, 'steps' | 'warnings'> | undefined }
}

export function viewRelease(
  { apps }: Pick<Storage, 'apps'>,
  { app, name }: Pick<Environment, 'app' | 'name'>,
  release: Release,
): ReleaseView {
  const { artifact, rollbackOf, reason, activatedAt, endedAt } = release
  const git = gitOf(release)
  return {
    app,
    environment: name,
    number: release.number,
    state: release.state,
    fingerprint: release.fingerprint,
    ...(artifact === null ? {} : { artifact }),
    pythonVersion: apps.manifestOf(release).python_version,
    runsOn: release.runsOn,
    kind: release.kind,
    ...present({ git, rollbackOf, reason }),
    createdAt: release.createdAt,
    ...present({ activatedAt, endedAt }),
  }
}

export function deployedEndpoints({ storage, info }: AddressedDeps, environment: Environment): DeployedEndpoint[] {
  const active = storage.apps.releaseIn(environment.id, 'active')
  const manifest = active && storage.apps.manifestOf(active)
  const views = endpointsOf(storage, environment).map((endpoint) => {
    const { resource } = endpoint.app
    return {
      resource,
      id: endpoint.id,
      loadBalanced: endpoint.config.loadBalanced !== undefined,
      ...addressesOf(endpoint, info().url),
      routes: Object.keys(manifest?.routes[resource] ?? {}),
      functions: (manifest?.resources[resource]?.functions ?? []).map(({ name }) => name),
      examples: examplesOf(manifest?.resources[resource]),
    }
  })
  return views.sort((a, b) => Number(b.loadBalanced) - Number(a.loadBalanced))
}

export function exampleInput(
  { apps }: Pick<Storage, 'apps'>,
  { config }: Pick<Endpoint, 'config'>,
): Readonly<Record<string, unknown>> | undefined {
  const environment = config.app && apps.environment(config.app.name, config.app.environment)
  const active = environment && apps.releaseIn(environment.id, 'active')
  return active && apps.manifestOf(active).resources[config.app?.resource ?? '']?.functions[0]?.example
}

function examplesOf(resource: ManifestResource | undefined): Readonly<Record<string, Record<string, unknown>>> {
  const found = resource?.functions ?? []
  return Object.fromEntries(
    found.flatMap(({ name, example, http_method: method, http_path: path }) =>
      example === undefined ? [] : [[method === undefined ? name : `${method} ${path}`, example]],
    ),
  )
}

export function viewProgress(service: ProgressDeps, environment: Environment, release: Release): ReleaseProgress {
  const current = service.storage.apps.release(environment.id, release.number) ?? release
  const run = service.releases.run(release)
  return {
    release: viewRelease(service.storage, environment, current),
    steps: run?.steps ?? [],
    warnings: run?.warnings ?? [],
    endpoints: deployedEndpoints(service, environment),
  }
}

export function viewEnvironmentRow({ storage }: Deps, environment: Environment): EnvironmentView {
  const active = storage.apps.releaseIn(environment.id, 'active')
  const endpoints = endpointsOf(storage, environment)
  const deployed = endpoints.map(({ app }) => app.resource)
  const missing = active === undefined ? [] : missingEndpoints(storage.apps.manifestOf(active), active.runsOn, deployed)
  return {
    app: environment.app,
    name: environment.name,
    createdAt: environment.createdAt,
    ...(active === undefined ? {} : { active: viewRelease(storage, environment, active) }),
    ...(environment.machine === null ? {} : { machine: environment.machine }),
    endpoints: endpoints.length,
    ...(missing.length === 0 ? {} : { missing: [...missing] }),
    variables: listVariables({ storage }, environment).length,
  }
}

export function viewEnvironment(service: AddressedDeps, environment: Environment): EnvironmentDetail {
  const { storage } = service
  return {
    ...viewEnvironmentRow(service, environment),
    endpoints: deployedEndpoints(service, environment),
    variables: [...listVariables(service, environment)],
    releases: storage.apps
      .releases(environment.id, limit('releasesKept'))
      .map((release) => viewRelease(storage, environment, release)),
  }
}

export function viewApp(service: Deps, { name, createdAt }: App): AppView {
  const environments = service.storage.apps.environments(name)
  return { name, createdAt, environments: environments.map((environment) => viewEnvironmentRow(service, environment)) }
}

export function viewApps(service: Deps): AppView[] {
  return service.storage.apps.apps().map((app) => viewApp(service, app))
}
