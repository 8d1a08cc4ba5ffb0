import type { Context } from 'hono'
import { appName, environmentName, variablesUpdate } from '../../contract/app.ts'
import { APP_ROUTES } from '../../contract/app-routes.ts'
import { limit } from '../../contract/limits.ts'
import {
  createEnvironment,
  deleteApp,
  deleteEnvironment,
  requireApp,
  requireEnvironment,
  undeploy,
} from '../../services/apps/environments.ts'
import { updateVariables } from '../../services/apps/variables.ts'
import { viewApp, viewApps, viewEnvironment, viewEnvironmentRow } from '../../services/apps/views.ts'
import type { Environment } from '../../services/ports/apps.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import { readJson } from '../read-body.ts'
import type { AppHandler } from './app-handler.ts'

const DONE = { ok: true as const }

/** The environment of the path. @throws AppError APP_NOT_FOUND, ENVIRONMENT_NOT_FOUND */
export function environmentOf(c: Context, service: ServiceContext): Environment {
  return requireEnvironment(service, c.req.param('app') ?? '', c.req.param('environment') ?? '')
}

/** The names of the path, where they need not be there yet. @throws ZodError */
export function placeOf(c: Context): { readonly app: string; readonly environment: string } {
  return { app: appName.parse(c.req.param('app')), environment: environmentName.parse(c.req.param('environment')) }
}

/** Apps, their environments and the variables of these; a value goes in and never comes out. */
export const APP_MANAGEMENT = {
  appList: (c, service) => c.json({ apps: viewApps(service) }),
  appRead: (c, service) => c.json(viewApp(service, requireApp(service, c.req.param('app') ?? ''))),
  async appDelete(c, service) {
    await deleteApp(service, requireApp(service, c.req.param('app') ?? ''))
    return c.json(DONE)
  },
  async environmentCreate(c, service) {
    const app = appName.parse(c.req.param('app'))
    const { value } = await readJson(c, limit('managementBodyBytes'), 'this operation')
    const { name } = APP_ROUTES.environmentCreate.body.parse(value)
    return c.json(viewEnvironmentRow(service, await createEnvironment(service, app, name)))
  },
  environmentRead: (c, service) => c.json(viewEnvironment(service, environmentOf(c, service))),
  async environmentDelete(c, service) {
    await deleteEnvironment(service, environmentOf(c, service))
    return c.json(DONE)
  },
  environmentUndeploy: async (c, service) => c.json({ deleted: await undeploy(service, environmentOf(c, service)) }),
  async variablesUpdate(c, service) {
    const { value } = await readJson(c, limit('managementBodyBytes'), 'this operation')
    const changes = variablesUpdate.parse(value)
    const { changed, unreleased } = await updateVariables(service, environmentOf(c, service), changes)
    const { variables } = viewEnvironment(service, environmentOf(c, service))
    return c.json({ variables, changed, unreleased })
  },
} as const satisfies Record<string, AppHandler>
