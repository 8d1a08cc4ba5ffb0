/**
 * The gate of the listener for users. A localhost server can be reached by every page in every browser of the user, so
 * each request must name our host, come from no foreign page, carry a key, and post nothing but JSON.
 * Source: targets, Rules of the localhost server.
 */
import type { Context } from 'hono'
import { AppError } from '../contract/errors.ts'
import { isOwnHost, isOwnOrigin, keyFromHeader } from '../domain/auth.ts'
import type { Endpoint } from '../services/ports.ts'
import type { ServiceContext } from '../services/service-context.ts'

/**
 * Refuses foreign hosts, foreign pages and bodies that are not JSON.
 * @throws AppError FORBIDDEN_HOST, FORBIDDEN_ORIGIN, UNSUPPORTED_MEDIA_TYPE
 */
export function requireOwnPlace(c: Context, service: ServiceContext): void {
  const { hosts } = service.info()
  if (!isOwnHost(c.req.header('host'), hosts)) throw new AppError('FORBIDDEN_HOST')
  if (!isOwnOrigin(c.req.header('origin'), hosts)) throw new AppError('FORBIDDEN_ORIGIN')
  const site = c.req.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new AppError('FORBIDDEN_ORIGIN')
  requireJson(c)
}

// Any other type could be posted by a page of another origin without asking first.
function requireJson(c: Context): void {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return
  const type = c.req.header('content-type')
  if (type === undefined) {
    if (hasBody(c)) throw new AppError('UNSUPPORTED_MEDIA_TYPE', { type: 'without a Content-Type' })
  } else if (!/^application\/json\s*(;|$)/i.test(type))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', { type: type.slice(0, 100) })
}

function hasBody(c: Context): boolean {
  return c.req.header('transfer-encoding') !== undefined || Number(c.req.header('content-length') ?? 0) > 0
}

/**
 * Asks for the account key.
 * @throws AppError UNAUTHORIZED, or FORBIDDEN_KEY for the key of some endpoint
 */
export function requireAccount(c: Context, { keys, storage }: ServiceContext): void {
  const key = keyFromHeader(c.req.header('authorization'))
  if (key === undefined) throw new AppError('UNAUTHORIZED')
  if (keys.isAccountKey(key)) return
  const known = storage.endpoints.all().some((endpoint) => keys.holder(key, endpoint) === 'endpoint')
  throw new AppError(known ? 'FORBIDDEN_KEY' : 'UNAUTHORIZED')
}

/**
 * Asks for the account key or the key of this endpoint. Whoever has no key learns nothing of which endpoints exist.
 * @throws AppError UNAUTHORIZED, ENDPOINT_NOT_FOUND
 */
export function requireEndpoint(c: Context, { keys, storage }: ServiceContext, endpointId: string): Endpoint {
  const endpoint = storage.endpoints.get(endpointId)
  const key = keyFromHeader(c.req.header('authorization'))
  if (key === undefined || keys.holder(key, endpoint) === undefined) throw new AppError('UNAUTHORIZED')
  if (endpoint === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId })
  return endpoint
}
