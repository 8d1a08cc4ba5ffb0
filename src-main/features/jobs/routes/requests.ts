import type { Context } from 'hono'
import { limit } from '../../../contract/limits.ts'
import type { ManagementOperations } from '../../../http/operation.ts'
import { followAsEvents } from '../../../http/send-response.ts'
import { kindOf } from '../../endpoints/kinds/endpoint-kinds.ts'
import { endpointOf } from '../../endpoints/routes.ts'
import type { ServiceBase } from '../../service-context.ts'
import { deleteSavedRequest, saveRequest, updateSavedRequest } from '../saved-requests.ts'

const BATCH = 500

export const REQUEST_OPERATIONS = {
  endpointRequests({ c, path, query }, service) {
    const endpointId = endpointOf(path, service).id
    const { statusFrom, statusTo } = statusRange(query.status)
    if (query.follow === 'true') return follow(c, service, { endpointId, statusFrom, statusTo, after: query.after })
    const count = query.limit ?? limit('listPage')
    const before = query.cursor ?? Number.MAX_SAFE_INTEGER
    const found = service.storage.requests.list({ endpointId, statusFrom, statusTo, before, limit: count + 1 })
    const page = found.slice(0, count)
    const last = page.at(-1)
    const more = found.length > count && last !== undefined
    return { requests: page, ...(more ? { cursor: String(last.id) } : {}) }
  },
} as const satisfies Partial<ManagementOperations<ServiceBase>>

function follow(
  c: Context,
  { storage, notifiers, stopping }: ServiceBase,
  wanted: {
    readonly endpointId: string
    readonly statusFrom: number
    readonly statusTo: number
    readonly after: number | undefined
  },
): Response {
  const { endpointId, statusFrom, statusTo, after } = wanted
  let cursor = after ?? storage.requests.lastId()
  return followAsEvents(c, {
    notifier: notifiers.requests,
    stopping,
    durable: storage.durable,
    read() {
      const requests = storage.requests.after(endpointId, cursor, BATCH)
      cursor = requests.at(-1)?.id ?? cursor
      const shown = requests.filter(({ status = 0 }) => status >= statusFrom && status <= statusTo)
      return {
        items: shown.map((request) => ({ id: request.id, event: 'request', data: JSON.stringify(request) })),
        more: requests.length === BATCH,
      }
    },
  })
}

// `404` is one status, `5xx` a hundred; without one also requests that never had a status, which count as 0.
function statusRange(status: string | undefined): { readonly statusFrom: number; readonly statusTo: number } {
  if (status === undefined) return { statusFrom: 0, statusTo: 999 }
  return { statusFrom: Number(status.replace('xx', '00')), statusTo: Number(status.replace('xx', '99')) }
}

export const SAVED_REQUEST_OPERATIONS = {
  savedRequestList({ path }, service) {
    return { requests: service.storage.savedRequests.list(endpointOf(path, service).id) }
  },
  async inputHintsRead({ path }, service) {
    const endpoint = endpointOf(path, service)
    return await kindOf(endpoint).inputHints(service.storage, endpoint)
  },
  async savedRequestCreate({ path, body }, service) {
    const { id } = endpointOf(path, service)
    return await saveRequest(service, id, body)
  },
  async savedRequestUpdate({ path, body }, service) {
    const { id } = endpointOf(path, service)
    return await updateSavedRequest(service, id, path.savedRequestId, body)
  },
  async savedRequestDelete({ path }, service) {
    await deleteSavedRequest(service, endpointOf(path, service).id, path.savedRequestId)
    return { ok: true as const }
  },
} as const satisfies Partial<ManagementOperations<ServiceBase>>
