import type { Context } from 'hono'
import { APP_ROUTES } from '../../contract/app-routes.ts'
import { limit } from '../../contract/limits.ts'
import { readInputHints } from '../../services/requests/read-input-hints.ts'
import { deleteSavedRequest, saveRequest, updateSavedRequest } from '../../services/requests/saved-requests.ts'
import { readJson } from '../read-body.ts'
import type { AppHandler } from './app-handler.ts'
import { endpointOf } from './endpoints.ts'

const idOf = (c: Context) => c.req.param('savedRequestId') ?? ''

// The text of a body is at its limit when it is JSON within JSON: each quote in it has become two characters.
const BODY_BYTES = 2 * limit('managementBodyBytes')

/** The requests that people keep under a name. */
export const SAVED_REQUEST_OPERATIONS = {
  savedRequestList(c, service) {
    return c.json({ requests: service.storage.savedRequests.list(endpointOf(c, service).id) })
  },
  inputHintsRead: async (c, service) => c.json(await readInputHints(service.storage, endpointOf(c, service))),
  async savedRequestCreate(c, service) {
    const { id } = endpointOf(c, service)
    const { value } = await readJson(c, BODY_BYTES, 'this operation')
    return c.json(await saveRequest(service, id, APP_ROUTES.savedRequestCreate.body.parse(value)))
  },
  async savedRequestUpdate(c, service) {
    const { id } = endpointOf(c, service)
    const { value } = await readJson(c, BODY_BYTES, 'this operation')
    return c.json(await updateSavedRequest(service, id, idOf(c), APP_ROUTES.savedRequestUpdate.body.parse(value)))
  },
  async savedRequestDelete(c, service) {
    await deleteSavedRequest(service, endpointOf(c, service).id, idOf(c))
    return c.json({ ok: true as const })
  },
} as const satisfies Record<string, AppHandler>
