import { AppError } from '../../contract/errors.ts'
import { THIS_MACHINE } from '../../contract/machines.ts'
import type { Clock, NewId } from '../../lib/clock.ts'
import type { App, Environment, Release, Storage } from '../../storage/storage.ts'
import { deleteEndpoint } from '../endpoints/endpoints.ts'
import { endpointsOf } from './environment-endpoints.ts'
import { removeVariables } from './variables.ts'

type Deps = { readonly storage: Storage; readonly clock: Clock; readonly newId: NewId }

export function requireApp({ storage }: Pick<Deps, 'storage'>, name: string): App {
  const app = storage.apps.app(name)
  if (app === undefined) throw new AppError('APP_NOT_FOUND', { app: name.slice(0, 100) })
  return app
}

export function requireEnvironment(deps: Pick<Deps, 'storage'>, app: string, name: string): Environment {
  const environment = deps.storage.apps.environment(requireApp(deps, app).name, name)
  if (environment === undefined) throw new AppError('ENVIRONMENT_NOT_FOUND', { app, environment: name.slice(0, 100) })
  return environment
}

export function requireRelease({ storage }: Pick<Deps, 'storage'>, environment: Environment, number: number): Release {
  const release = storage.apps.release(environment.id, number)
  if (release === undefined)
    throw new AppError('RELEASE_NOT_FOUND', { number, app: environment.app, environment: environment.name })
  return release
}

export async function createEnvironment(
  deps: Deps,
  app: string,
  name: string,
  machine = THIS_MACHINE,
): Promise<Environment> {
  const { created, environment } = await makeEnvironment(deps, app, name)
  if (!created) throw new AppError('ENVIRONMENT_EXISTS', { app, environment: name })
  return machine === THIS_MACHINE ? environment : await moveEnvironment(deps, environment, machine)
}

export async function moveEnvironment(
  { storage }: Pick<Deps, 'storage'>,
  environment: Environment,
  machine: string,
): Promise<Environment> {
  const said = storedMachine(machine)
  await storage.write(() => storage.apps.setMachine({ id: environment.id, machine: said }))
  return { ...environment, machine: said }
}

export const storedMachine = (machine: string): string | null => (machine === THIS_MACHINE ? null : machine)

export async function findOrCreateEnvironment(deps: Deps, app: string, name: string): Promise<Environment> {
  return (await makeEnvironment(deps, app, name)).environment
}

function makeEnvironment({ storage, clock }: Deps, app: string, name: string) {
  return storage.write(() => {
    storage.apps.createApp(app, clock.now())
    const created = storage.apps.createEnvironment(app, name, clock.now())
    const environment = created ?? storage.apps.environment(app, name)
    if (environment === undefined) throw new AppError('ENVIRONMENT_NOT_FOUND', { app, environment: name })
    return { created: created !== undefined, environment }
  })
}

/**
 * Deletes an environment's endpoints and cancels open jobs; releases and variables stay.
 * @returns names in the app
 * @throws AppError DEPLOY_RUNNING
 */
export async function undeploy(deps: Deps, environment: Environment): Promise<readonly string[]> {
  const { storage, clock } = deps
  refuseWhilePreparing(deps, environment)
  const endpoints = endpointsOf(storage, environment)
  // A release that becomes active meanwhile keeps its endpoints.
  const active = storage.apps.releaseIn(environment.id, 'active')
  for (const endpoint of endpoints) await deleteEndpoint(deps, endpoint)
  if (active !== undefined)
    await storage.write(() => storage.apps.moveRelease(active.id, 'supersede', 'it was undeployed', clock.now()))
  return endpoints.map(({ app: { resource } }) => resource)
}

export async function deleteEnvironment(deps: Deps, environment: Environment): Promise<void> {
  await undeploy(deps, environment)
  await deps.storage.write(() => {
    refuseWhilePreparing(deps, environment)
    const active = deps.storage.apps.releaseIn(environment.id, 'active')
    if (active !== undefined) throw deployRunning(environment, active)
    removeVariables(deps.storage, environment)
    deps.storage.apps.removeEnvironment(environment.id)
  })
}

export async function deleteApp(deps: Deps, { name }: App): Promise<void> {
  const environments = deps.storage.apps.environments(name)
  for (const environment of environments) refuseWhilePreparing(deps, environment)
  for (const environment of environments) await deleteEnvironment(deps, environment)
  await deps.storage.write(() => {
    // A concurrent deploy may have created one, which keeps its app.
    if (deps.storage.apps.environments(name).length === 0) deps.storage.apps.removeApp(name)
  })
}

function refuseWhilePreparing({ storage }: Pick<Deps, 'storage'>, environment: Environment): void {
  const preparing = storage.apps.releaseIn(environment.id, 'preparing')
  if (preparing !== undefined) throw deployRunning(environment, preparing)
}

function deployRunning({ app, name }: Environment, { number }: Release): AppError {
  return new AppError('DEPLOY_RUNNING', { number, app, environment: name })
}
