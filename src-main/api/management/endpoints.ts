import type { Context } from 'hono'
import { APP_ROUTES } from '../../contract/app-routes.ts'
import { endpointCreate, endpointUpdate } from '../../contract/endpoint.ts'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { isolationFault } from '../../domain/worker/isolated-python.ts'
import {
  createEndpoint,
  deleteEndpoint,
  type EndpointAndKey,
  rotateEndpointKey,
  setPaused,
  updateEndpoint,
} from '../../services/management/endpoints.ts'
import { viewEndpoint } from '../../services/management/views.ts'
import type { Endpoint } from '../../services/ports.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import { readJson } from '../read-body.ts'
import { queryValue } from '../v2/operation.ts'
import type { AppHandler } from './app-handler.ts'

const HOUR_MS = 3_600_000

/**
 * Finds the endpoint of the path.
 * @throws AppError ENDPOINT_NOT_FOUND
 */
export function endpointOf(c: Context, { storage }: ServiceContext): Endpoint {
  const endpointId = c.req.param('endpointId') ?? ''
  const endpoint = storage.endpoints.get(endpointId)
  if (endpoint === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: endpointId.slice(0, 100) })
  return endpoint
}

const view = (service: ServiceContext, endpoint: Endpoint) => viewEndpoint(service.views, endpoint, service.info().url)

const withKey = (service: ServiceContext, { endpoint, key }: EndpointAndKey) => ({ ...view(service, endpoint), key })

// At once, and not when the first job waits for a card that is not there. It is no error: apps for production are made here.
async function warningOf({ fleet }: ServiceContext, { config }: Endpoint): Promise<{ readonly warning?: string }> {
  const { container } = config
  const why = container?.gpu === undefined ? undefined : await fleet.refusal({ container })
  if (why !== undefined) return { warning: `This machine as it is can run no worker of it: ${why}.` }
  const fault = isolationFault(config)
  return fault === undefined ? {} : { warning: `Note that ${fault.found}. ${fault.fix}` }
}

/** The management of endpoints. */
export const ENDPOINT_OPERATIONS = {
  endpointList: (c, service) =>
    c.json({ endpoints: service.storage.endpoints.all().map((endpoint) => view(service, endpoint)) }),
  endpointRead: (c, service) => c.json(view(service, endpointOf(c, service))),
  async endpointCreate(c, service) {
    const { id, ...config } = endpointCreate.parse(
      (await readJson(c, limit('managementBodyBytes'), 'this operation')).value,
    )
    const made = await createEndpoint(service, config, id)
    return c.json({ ...withKey(service, made), ...(await warningOf(service, made.endpoint)) })
  },
  async endpointUpdate(c, service) {
    const endpoint = endpointOf(c, service)
    const changes = endpointUpdate.parse((await readJson(c, limit('managementBodyBytes'), 'this operation')).value)
    const changed = await updateEndpoint(service, endpoint, changes)
    const warning =
      changes.container === undefined && changes.command === undefined ? {} : await warningOf(service, changed)
    return c.json({ ...view(service, changed), ...warning })
  },
  async endpointDelete(c, service) {
    await deleteEndpoint(service, endpointOf(c, service))
    return c.json({ ok: true as const })
  },
  endpointPause: async (c, service) => c.json(view(service, await setPaused(service, endpointOf(c, service), true))),
  async endpointResume(c, service) {
    const endpoint = await setPaused(service, endpointOf(c, service), false)
    service.supervisor.forgetCrashes(endpoint.id)
    service.storage.poke()
    return c.json(view(service, endpoint))
  },
  endpointRotateKey: async (c, service) =>
    c.json(withKey(service, await rotateEndpointKey(service, endpointOf(c, service)))),
  endpointMetrics(c, service) {
    const { query } = APP_ROUTES.endpointMetrics
    const to = queryValue(c, 'to', query.to) ?? service.clock.now()
    const from = queryValue(c, 'from', query.from) ?? to - HOUR_MS
    return c.json(
      service.metrics.read(endpointOf(c, service).id, { from, to, points: queryValue(c, 'points', query.points) }),
    )
  },
} as const satisfies Record<string, AppHandler>
