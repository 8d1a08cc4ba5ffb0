import type { Context } from 'hono'
import { APP_ROUTES } from '../../contract/app-routes.ts'
import { limit } from '../../contract/limits.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import { followAsEvents } from '../follow.ts'
import { queryValue } from '../v2/operation.ts'
import type { AppHandler } from './app-handler.ts'
import { endpointOf } from './endpoints.ts'

const BATCH = 500

/** The requests to a load-balanced endpoint: a page of the log, or new ones as they end. */
export const REQUEST_OPERATIONS = {
  endpointRequests(c, service) {
    const { query } = APP_ROUTES.endpointRequests
    const endpointId = endpointOf(c, service).id
    const { statusFrom, statusTo } = statusRange(queryValue(c, 'status', query.status))
    if (queryValue(c, 'follow', query.follow) === 'true')
      return follow(c, service, { endpointId, statusFrom, statusTo })
    const count = queryValue(c, 'limit', query.limit) ?? limit('listPage')
    const before = queryValue(c, 'cursor', query.cursor) ?? Number.MAX_SAFE_INTEGER
    const found = service.storage.requests.list({ endpointId, statusFrom, statusTo, before, limit: count + 1 })
    const page = found.slice(0, count)
    const last = page.at(-1)
    const more = found.length > count && last !== undefined
    return c.json({ requests: page, ...(more ? { cursor: String(last.id) } : {}) })
  },
} as const satisfies Record<string, AppHandler>

function follow(
  c: Context,
  { storage, bells, stopping }: ServiceContext,
  { endpointId, statusFrom, statusTo }: { endpointId: string; statusFrom: number; statusTo: number },
): Response {
  let cursor = queryValue(c, 'after', APP_ROUTES.endpointRequests.query.after) ?? storage.requests.lastId()
  return followAsEvents(c, {
    bell: bells.requests,
    stopping,
    read() {
      const requests = storage.requests.after(endpointId, cursor, BATCH)
      cursor = requests.at(-1)?.id ?? cursor
      const wanted = requests.filter(({ status = 0 }) => status >= statusFrom && status <= statusTo)
      return {
        items: wanted.map((request) => ({ id: request.id, event: 'request', data: JSON.stringify(request) })),
        more: requests.length === BATCH,
      }
    },
  })
}

// `404` is one status, `5xx` a hundred of them; without one also those that never had a status, which counts as 0.
function statusRange(status: string | undefined): { readonly statusFrom: number; readonly statusTo: number } {
  if (status === undefined) return { statusFrom: 0, statusTo: 999 }
  return { statusFrom: Number(status.replace('xx', '00')), statusTo: Number(status.replace('xx', '99')) }
}
