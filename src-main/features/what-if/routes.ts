import type { ManagementOperations } from '../../http/operation.ts'
import { requireQueue } from '../endpoints/endpoint-kinds.ts'
import { endpointOf } from '../endpoints/routes.ts'
import type { ServiceBase, ServiceContext } from '../service-context.ts'

export const WHAT_IF_OPERATIONS = {
  async whatIf({ c, path, body }, service) {
    const endpoint = endpointOf(path, service)
    requireQueue(endpoint, service)
    return await service.whatIf.ask(endpoint, body, c.req.raw.signal)
  },
  priceTableRead: async (_request, { readPrices }) => await readPrices(),
} as const satisfies Partial<ManagementOperations<ServiceBase & Pick<ServiceContext, 'whatIf' | 'readPrices'>>>
