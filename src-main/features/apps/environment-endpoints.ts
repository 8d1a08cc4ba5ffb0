import type { AppMembership } from '../../contract/app.ts'
import type { Endpoint, Release, Storage } from '../../storage/storage.ts'
import type { AppTarget } from './rules/app-environment.ts'

export type MemberEndpoint = Endpoint & { readonly app: AppMembership }

type EnvironmentKey = { readonly app: string; readonly name: string }

export function endpointsOf(
  { endpoints }: Pick<Storage, 'endpoints'>,
  environment: EnvironmentKey,
): readonly MemberEndpoint[] {
  return membersAmong(endpoints.all(), environment)
}

export function readEndpointsOf(
  { endpoints }: Pick<Storage, 'endpoints'>,
  environment: EnvironmentKey,
): readonly MemberEndpoint[] {
  return membersAmong(endpoints.readAll(), environment)
}

function membersAmong(endpoints: readonly Endpoint[], { app, name }: EnvironmentKey): readonly MemberEndpoint[] {
  return endpoints
    .flatMap((endpoint) => {
      const membership = endpoint.config.app
      return membership?.name === app && membership.environment === name ? [{ ...endpoint, app: membership }] : []
    })
    .sort((a, b) => (a.app.resource < b.app.resource ? -1 : 1))
}

export type FindEndpoint = (wanted: AppTarget & { readonly name: string }) => Endpoint | undefined

export function releaseToCome(
  { apps }: Pick<Storage, 'apps'>,
  { app, environment: environmentName, name }: Parameters<FindEndpoint>[0],
): Release | undefined {
  const environment = apps.environment(app, environmentName)
  const release = environment === undefined ? undefined : apps.releaseIn(environment.id, 'preparing')
  if (release === undefined) return undefined
  const { function_registry: functions, resources } = apps.manifestOf(release)
  return Object.hasOwn(functions, name) || Object.hasOwn(resources, name) ? release : undefined
}

export function createFindEndpoint({
  storage,
}: {
  readonly storage: Pick<Storage, 'apps' | 'endpoints'>
}): FindEndpoint {
  return ({ app, environment: environmentName, name }) => {
    const environment = storage.apps.environment(app, environmentName)
    if (environment === undefined) return undefined
    const endpoints = endpointsOf(storage, environment)
    const called = (resource: string) => endpoints.find((endpoint) => endpoint.app.resource === resource)
    const active = storage.apps.releaseIn(environment.id, 'active')
    const registry = active === undefined ? {} : storage.apps.manifestOf(active).function_registry
    const byFunction = Object.hasOwn(registry, name) ? called(registry[name] ?? '') : undefined
    return byFunction ?? called(name)
  }
}
