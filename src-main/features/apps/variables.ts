/**
 * Variables of environments. Each change creates a sealed version; endpoint settings name their version, so that a
 * failed release changes nothing and old workers can restart.
 */
import type { AppMembership, VariablesUpdate } from '../../contract/app.ts'
import type { EndpointConfig } from '../../contract/endpoint.ts'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Endpoint, Environment, Storage } from '../../storage/storage.ts'
import type { HiddenValues } from '../jobs/rules/job-file.ts'
import { accountSecretValues } from '../keys/account-secrets.ts'
import { endpointsOf, readEndpointsOf } from './environment-endpoints.ts'

type Deps = { readonly storage: Storage; readonly clock: Clock }

const prefixOf = ({ id }: Pick<Environment, 'id'>) => `variables/${id}/`
const scopeOf = (environment: Pick<Environment, 'id'>, version: number) => `${prefixOf(environment)}${version}`

export function listVariables({ storage }: Pick<Deps, 'storage'>, environment: Environment) {
  return storage.secrets.list(scopeOf(environment, environment.variables))
}

/**
 * Updates variables, effective with the next release; unused versions are deleted.
 * @returns whether any changed, and whether active workers differ from stored ones
 * @throws AppError BAD_FIELD for too many, SECRET_LOST if unreadable, ENVIRONMENT_NOT_FOUND if deleted meanwhile
 */
export async function updateVariables(
  { storage, clock }: Deps,
  environment: Environment,
  { set, remove }: VariablesUpdate,
): Promise<{ readonly changed: boolean; readonly unreleased: boolean }> {
  const changed = await storage.write(() => {
    const { app, name: environmentName } = environment
    const before = storage.apps.environment(app, environmentName)
    if (before === undefined) throw new AppError('ENVIRONMENT_NOT_FOUND', { app, environment: environmentName })
    const scope = scopeOf(before, before.variables)
    const existing = storage.secrets.list(scope)
    const isSet = ([name, value]: readonly [string, string]) => storage.secrets.get(scope, name) === value
    if (Object.entries(set).every(isSet) && !existing.some(({ name }) => remove.includes(name))) return false
    const unchanged = existing.filter(({ name }) => set[name] === undefined && !remove.includes(name))
    const count = unchanged.length + Object.keys(set).length
    if (count > limit('variables')) {
      const why = `the environment would have ${count} variables, and the limit is ${limit('variables')}`
      throw new AppError('BAD_FIELD', { field: 'set', why })
    }
    const version = before.variables + 1
    const next = scopeOf(before, version)
    for (const { name, updatedAt } of unchanged)
      storage.secrets.put(next, name, storage.secrets.get(scope, name) ?? '', updatedAt)
    for (const [name, value] of Object.entries(set)) storage.secrets.put(next, name, value, clock.now())
    storage.apps.setVariables({ id: before.id, version })
    removeUnused(storage, before)
    return true
  })
  const now = storage.apps.environment(environment.app, environment.name)
  const unreleased = endpointsOf(storage, environment).some(({ app }) => app.variables !== now?.variables)
  return { changed, unreleased }
}

/**
 * Deletes unused versions; only inside a write. While a release is prepared all stay, because its workers start with
 * theirs.
 */
export function removeUnused(storage: Storage, { id, app, name }: Environment): void {
  const environment = storage.apps.environment(app, name)
  if (environment?.id !== id || storage.apps.releaseIn(id, 'preparing') !== undefined) return
  const used = new Set([
    environment.variables,
    ...readEndpointsOf(storage, environment).map((one) => one.app.variables),
  ])
  const scopes = new Set([...used].map((version) => scopeOf(environment, version)))
  for (const scope of storage.secrets.scopes(prefixOf(environment)))
    if (!scopes.has(scope)) storage.secrets.removeScope(scope)
}

export function removeVariables({ secrets }: Pick<Storage, 'secrets'>, environment: Environment): void {
  for (const scope of secrets.scopes(prefixOf(environment))) secrets.removeScope(scope)
}

export function variablesOf(
  { apps, secrets }: Pick<Storage, 'apps' | 'secrets'>,
  app: AppMembership | undefined,
): Readonly<Record<string, string>> {
  const environment = app === undefined ? undefined : apps.environment(app.name, app.environment)
  if (app === undefined || environment === undefined) return {}
  const scope = scopeOf(environment, app.variables)
  return Object.fromEntries(secrets.list(scope).map(({ name }) => [name, secrets.get(scope, name) ?? '']))
}

/** From all stored versions, because none may appear in a log. */
export function secretValues(
  { secrets }: Pick<Storage, 'secrets'>,
  environment: Pick<Environment, 'id'>,
): readonly string[] {
  return secrets
    .scopes(prefixOf(environment))
    .flatMap((scope) => secrets.list(scope).map(({ name }) => secrets.get(scope, name) ?? ''))
}

// Usual names of secret variables, and addresses with passwords. Source: ours.
const NAMED_SECRET = /key|token|secret|passw|credential|auth/i
const WITH_PASSWORD = /:\/\/[^/\s:@]*:[^/\s@]+@/

/** Secret values among an endpoint's own variables; others may be settings that logs need. */
export function ownSecrets(env: EndpointConfig['env']): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    NAMED_SECRET.test(name) || WITH_PASSWORD.test(value) ? [value] : [],
  )
}

/**
 * @param endpoint undefined if deleted
 * @throws AppError SECRET_LOST
 */
export function hiddenValues(storage: Pick<Storage, 'apps' | 'secrets'>, endpoint: Endpoint | undefined): HiddenValues {
  const { app, env = {} } = endpoint?.config ?? {}
  const environment = app === undefined ? undefined : storage.apps.environment(app.name, app.environment)
  return {
    secrets: [
      ...accountSecretValues(storage),
      ...(environment === undefined ? [] : secretValues(storage, environment)),
      ...ownSecrets(env),
    ],
    variables: Object.values(env),
  }
}
