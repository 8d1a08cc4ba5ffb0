import { requireQueue } from '../../services/endpoint-kinds.ts'
import type { ServiceBase, ServiceContext } from '../../services/service-context.ts'
import type { ManagementOperations } from '../operation.ts'
import { endpointOf } from './endpoints.ts'

/** What-if questions, and the prices that they may take. */
export const WHAT_IF_OPERATIONS = {
  async whatIf({ c, path, body }, service) {
    const endpoint = endpointOf(path, service)
    requireQueue(endpoint, service)
    return await service.whatIf.ask(endpoint, body, c.req.raw.signal)
  },
  priceTableRead: async (_request, { readPrices }) => await readPrices(),
} as const satisfies Partial<ManagementOperations<ServiceBase & Pick<ServiceContext, 'whatIf' | 'readPrices'>>>
