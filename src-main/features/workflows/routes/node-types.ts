import type { ManagementOperations } from '../../../http/operation.ts'
import { endpointOf } from '../../endpoints/routes.ts'
import type { ServiceContext } from '../../service-context.ts'
import { namedEndpoint } from './workflows.ts'

export const NODE_TYPE_OPERATIONS = {
  async nodeTypes({ query }, { storage, workflows }) {
    const endpoint = namedEndpoint({ storage }, query.endpoint)
    await workflows.classes.renew(endpoint)
    const fault = endpoint && workflows.nodeTypes.faultOf(endpoint)
    return { ...(await workflows.nodeTypes.of(endpoint)), ...(fault === undefined ? {} : { fault }) }
  },
  async nodeTypesWrite({ path, body }, service) {
    const endpoint = endpointOf(path, service)
    return await service.workflows.nodeTypes.take(endpoint, body.text)
  },
  nodeTypesFetch: async ({ path }, service) => await service.workflows.nodeTypes.fetch(endpointOf(path, service)),
  blueprintList: async ({ path }, service) => await service.workflows.blueprints.list(endpointOf(path, service)),
  blueprintRead: async ({ path }, service) => ({
    text: await service.workflows.blueprints.read(endpointOf(path, service), path.blueprint),
  }),
  nodePackages: async ({ body }, { workflows }) => await workflows.nodePackages(body.classes),
  workflowServers: async (_request, { workflows }) => ({ servers: await workflows.servers() }),
} as const satisfies Partial<ManagementOperations<Pick<ServiceContext, 'storage' | 'workflows'>>>
