/**
 * The gate of the listener for users. A localhost server can be reached by every page in every browser of the user, so
 * each request must name our host, come from no foreign page, carry a key, and post nothing but JSON. A route that takes
 * bytes names their type and is a PUT, which no page sends to another origin without asking first. The cookie of a
 * session is as good as the account key. Browsers send it by themselves, so it counts only where the browser says that
 * our own page or the person asks; SameSite is no help against pages of other ports of this machine. Pages of other origins
 * are let in at an endpoint that names them, with its key, and nowhere else.
 * Source: targets, Rules of the localhost server.
 */
import type { Context } from 'hono'
import { AppError } from '../contract/errors.ts'
import type { Route } from '../contract/routes.ts'
import { cookieNamed, isOwnHost, isOwnOrigin, keyFromHeader, sessionCookieName } from '../domain/auth.ts'
import type { Caller } from '../services/management/keys.ts'
import type { Endpoint } from '../services/ports.ts'
import type { ServiceContext } from '../services/service-context.ts'

/**
 * Refuses foreign hosts, foreign pages and bodies of another type than the route's, which is JSON where it says none.
 * @throws AppError FORBIDDEN_HOST, FORBIDDEN_ORIGIN, UNSUPPORTED_MEDIA_TYPE
 */
export function requireOwnPlace(c: Context, service: ServiceContext, bodyType?: Route['bodyType']): void {
  requireOwnAddress(c, service)
  const site = c.req.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new AppError('FORBIDDEN_ORIGIN')
  requireBodyType(c, bodyType ?? 'application/json')
}

/**
 * Refuses foreign hosts, and foreign pages that would read the answer. Links from foreign pages pass: this alone is for
 * what holds nothing of the user's.
 * @throws AppError FORBIDDEN_HOST, FORBIDDEN_ORIGIN
 */
export function requireOwnAddress(c: Context, { info }: ServiceContext): void {
  const { hosts } = info()
  if (!isOwnHost(c.req.header('host'), hosts)) throw new AppError('FORBIDDEN_HOST')
  if (!isOwnOrigin(c.req.header('origin'), hosts)) throw new AppError('FORBIDDEN_ORIGIN')
}

/**
 * The foreign origin that a request comes from, where the endpoint lets its pages in; undefined for any other request,
 * which has to come from our own place. Where the answer is an origin, the session of a browser does not count.
 */
export function allowedOrigin(c: Context, { info, storage }: ServiceContext, endpointId: string): string | undefined {
  const origin = c.req.header('origin')
  if (origin === undefined || isOwnOrigin(origin, info().hosts)) return undefined
  return storage.endpoints.get(endpointId)?.config.cors?.includes(origin) === true ? origin : undefined
}

/**
 * The gate for what such a page sends.
 * @throws AppError FORBIDDEN_HOST, UNSUPPORTED_MEDIA_TYPE
 */
export function requireOwnHost(c: Context, { info }: ServiceContext): void {
  if (!isOwnHost(c.req.header('host'), info().hosts)) throw new AppError('FORBIDDEN_HOST')
  if (c.req.method !== 'OPTIONS') requireBodyType(c, 'application/json')
}

// Any other type than JSON could be posted by a page of another origin without asking first.
function requireBodyType(c: Context, wanted: string): void {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return
  const type = c.req.header('content-type')
  if (type === undefined) {
    if (hasBody(c)) throw new AppError('UNSUPPORTED_MEDIA_TYPE', { type: 'without a Content-Type', wanted })
  } else if (type.split(';', 1)[0]?.trim().toLowerCase() !== wanted)
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', { type: type.slice(0, 100), wanted })
}

function hasBody(c: Context): boolean {
  return c.req.header('transfer-encoding') !== undefined || Number(c.req.header('content-length') ?? 0) > 0
}

/**
 * Asks for the account key, or a session.
 * @throws AppError UNAUTHORIZED, or FORBIDDEN_KEY for the key of some endpoint or of a worker that may call others
 */
export function requireAccount(c: Context, service: ServiceContext): void {
  if (requireCaller(c, service).holder !== 'account') throw new AppError('FORBIDDEN_KEY')
}

/**
 * Asks for any key that is good for something, or a session.
 * @throws AppError UNAUTHORIZED
 */
export function requireCaller(c: Context, service: ServiceContext): Caller {
  const key = keyFromHeader(c.req.header('authorization'))
  if (key === undefined && hasSession(c, service)) return { holder: 'account', within: undefined }
  const caller = key === undefined ? undefined : service.keys.callerOf(key)
  if (caller === undefined) throw new AppError('UNAUTHORIZED')
  return caller
}

/**
 * Asks for a key that opens this endpoint, or a session. Whoever has none learns nothing of which endpoints exist.
 * @throws AppError UNAUTHORIZED, ENDPOINT_NOT_FOUND
 */
export function requireEndpoint(c: Context, service: ServiceContext, endpointId: string): Endpoint {
  const endpoint = service.storage.endpoints.get(endpointId)
  if (!opens(c, service, endpoint)) throw new AppError('UNAUTHORIZED')
  if (endpoint === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId })
  return endpoint
}

/** Whether the key of this request opens the endpoint, or a session does; of one that is not there, whether it would. */
export function opens(c: Context, service: ServiceContext, endpoint: Endpoint | undefined): boolean {
  const key = keyFromHeader(c.req.header('authorization'))
  return key === undefined ? hasSession(c, service) : service.keys.holder(key, endpoint) !== undefined
}

/** The secret of the session that a request brings; it may have ended. */
export function sessionSecret(c: Context, { info }: ServiceContext): string | undefined {
  return cookieNamed(c.req.header('cookie'), sessionCookieName(info().url))
}

// The cookie comes along by itself, so it counts for no other page than ours.
function hasSession(c: Context, service: ServiceContext): boolean {
  if (!isOwnOrigin(c.req.header('origin'), service.info().hosts)) return false
  const secret = sessionSecret(c, service)
  return secret !== undefined && service.sessions.isOpen(secret)
}
