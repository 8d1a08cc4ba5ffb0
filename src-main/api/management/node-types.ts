import { APP_ROUTES } from '../../contract/app-routes.ts'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { readJson } from '../read-body.ts'
import { queryValue } from '../v2/operation.ts'
import type { AppHandler } from './app-handler.ts'
import { endpointOf } from './endpoints.ts'

// As a text within JSON, where each quote is two characters.
const BODY_BYTES = 2 * limit('nodeTypesBytes')

/** The classes of nodes of endpoints, and the servers that have some. */
export const NODE_TYPE_OPERATIONS = {
  async nodeTypes(c, { storage, workflows }) {
    const endpointId = queryValue(c, 'endpoint', APP_ROUTES.nodeTypes.query.endpoint)
    const endpoint = endpointId === undefined ? undefined : storage.endpoints.get(endpointId)
    if (endpointId !== undefined && endpoint === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId })
    await workflows.classes.renew(endpoint)
    return c.json(await workflows.nodeTypes.of(endpoint))
  },
  async nodeTypesWrite(c, service) {
    const endpoint = endpointOf(c, service)
    const { value } = await readJson(c, BODY_BYTES, 'this operation')
    return c.json(await service.workflows.nodeTypes.take(endpoint, APP_ROUTES.nodeTypesWrite.body.parse(value).text))
  },
  nodeTypesFetch: async (c, service) => c.json(await service.workflows.nodeTypes.fetch(endpointOf(c, service))),
  async nodePackages(c, { workflows }) {
    const className = queryValue(c, 'class', APP_ROUTES.nodePackages.query.class)
    return c.json(await workflows.nodePackages(className))
  },
  workflowServers: async (c, { workflows }) => c.json({ servers: await workflows.servers() }),
} as const satisfies Record<string, AppHandler>
