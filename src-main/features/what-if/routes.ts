import type { ManagementOperations } from '../../http/operation.ts'
import { requireQueue } from '../endpoints/kinds/endpoint-kinds.ts'
import { endpointOf } from '../endpoints/routes.ts'
import type { ServiceBase } from '../service-context.ts'
import type { ReadPrices } from './ports.ts'
import type { WhatIf } from './what-if.ts'

type Services = ServiceBase & { readonly whatIf: WhatIf; readonly readPrices: ReadPrices }

export const WHAT_IF_OPERATIONS = {
  async whatIf({ c, path, body }, service) {
    const endpoint = endpointOf(path, service)
    requireQueue(endpoint, service)
    return await service.whatIf.ask(endpoint, body, c.req.raw.signal)
  },
  priceTableRead: async (_request, { readPrices }) => await readPrices(),
} as const satisfies Partial<ManagementOperations<Services>>
