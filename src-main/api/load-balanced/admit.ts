/**
 * The gate of load-balanced endpoints. As everywhere: our host, no foreign page, a key. What differs:
 *
 * - Any content type passes. JSON alone would not be safe here anyway: what keeps foreign pages out is the key, which
 * no
 *   page has and no browser sends by itself, and that their Origin is refused.
 * - `ID.localhost:PORT` is a host of its own, and so an origin of its own: pages of an app may call that app, and
 *   neither the management API nor another app. Under /lb only pages of the service itself may call.
 * - An OPTIONS request of a browser that asks whether it may call (preflight) carries no key, ever. Pages of the right
 *   origin need not ask, so whoever asks is a foreign page and is refused like one, unless the setting `cors` of the endpoint
 *   names its origin; a worker cannot open itself to other origins. OPTIONS with the key goes to the worker as any method does.
 * - Only the Authorization header brings the key. A key that browsers store and send by themselves (Basic) would let
 * foreign
 *   pages use it, and HTML below /lb run under the origin of the management API.
 * - The cookie of a session counts under /lb alone, for what a script of our own pages fetches: the browser says so in
 *   Sec-Fetch-Site and Sec-Fetch-Dest, which no page can set, and in Origin where the method changes something. What
 *   is fetched is data to that script. A window, a frame, an image or a service worker would be more, and is refused. The
 *   cookie itself is taken out of what the worker gets, and what such a response would change of the browser out of that.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { AppError } from '../../contract/errors.ts'
import { cookieNamed, isOwnHost, isOwnOrigin, keyFromHeader, sessionCookieName } from '../../domain/auth.ts'
import { isEndpointHost, NAMED, type RequestAddress, readAddress } from '../../domain/load-balanced/read-address.ts'
import { requireLoadBalanced } from '../../services/endpoint-kinds.ts'
import type { Endpoint } from '../../services/ports/storage.ts'
import type { GuardServices } from '../../services/service-context.ts'
import { requireRoleOf, schemeOn } from '../guards.ts'
import { findNamedEndpoint, type NamedSearch, namesEndpoint, type ReadHeader } from '../v2/named-endpoint.ts'

/** A request that may go to a worker of the endpoint. */
export type Admitted = {
  readonly endpoint: Endpoint
  readonly address: RequestAddress
  /** What let it in. */
  readonly by: 'key' | 'session'
  /** Origin of the foreign page that asks; undefined where none does. */
  readonly page: string | undefined
}

/**
 * Lets a request in.
 * @throws AppError FORBIDDEN_HOST, FORBIDDEN_ORIGIN, UNAUTHORIZED, FORBIDDEN_ROLE, ENDPOINT_NOT_FOUND, NOT_DEPLOYED,
 * NOT_LOAD_BALANCED, BAD_FIELD
 */
export async function admit(
  { url = '', method, headers, socket }: IncomingMessage,
  search: NamedSearch,
): Promise<Admitted> {
  const { service } = search
  const { hosts } = service.info()
  const address = readAddress(url, headers.host)
  const host = headers.host?.toLowerCase()
  if (address === undefined || host === undefined || !namesOwnHost({ url, headers }, service))
    throw new AppError('FORBIDDEN_HOST')
  const page = foreignPage({ url, headers }, service)
  const own = address.form === 'host' ? new Set([host]) : hosts
  if (page === undefined && !isOwnOrigin(headers.origin, own, schemeOn(socket))) throw new AppError('FORBIDDEN_ORIGIN')
  const site = headers['sec-fetch-site']
  if (page === undefined && site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new AppError('FORBIDDEN_ORIGIN')

  const endpoint = await endpointOf(address, headers, search)
  const mayBeSession = page === undefined && address.form === 'path' && isOwnFetch(method, headers)
  const by = letIn(headers, { service, endpoint, mayBeSession })
  if (by === undefined) throw new AppError('UNAUTHORIZED')
  if (endpoint === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: address.endpointId.slice(0, 100) })
  requireLoadBalanced(endpoint, service)
  if (!address.target.startsWith('/') && !(address.target === '*' && method === 'OPTIONS'))
    throw new AppError('BAD_FIELD', { field: 'request', why: 'its address must be a path' })
  return { endpoint, address, by, page }
}

/** Whether a request names the service or one of its endpoints as its host. */
export function namesOwnHost(
  { url = '', headers: { host } }: Pick<IncomingMessage, 'url' | 'headers'>,
  { info }: GuardServices,
): boolean {
  const { hosts } = info()
  return readAddress(url, host)?.form === 'host' ? isEndpointHost(host, hosts) : isOwnHost(host, hosts)
}

/** The origin of a foreign page that the endpoint lets in by its setting `cors`; undefined for any other request. */
export function foreignPage(
  { url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>,
  { storage }: GuardServices,
): string | undefined {
  const { origin, host } = headers
  const endpointId = readAddress(url, host)?.endpointId ?? ''
  const lets = origin !== undefined && storage.endpoints.get(endpointId)?.config.cors?.includes(origin) === true
  return lets ? origin : undefined
}

// On the host `flash`, headers may name the endpoint, as in the public app SDK. A caller without a key learns nothing.
async function endpointOf(
  { endpointId }: RequestAddress,
  headers: IncomingHttpHeaders,
  search: NamedSearch,
): Promise<Endpoint | undefined> {
  const { service } = search
  const header: ReadHeader = (name) => headers[name.toLowerCase()]?.toString()
  if (endpointId !== NAMED || !namesEndpoint(header)) return service.storage.endpoints.get(endpointId)
  const key = keyFromHeader(headers.authorization)
  const caller = key === undefined ? undefined : service.keys.callerOf(key)
  if (caller === undefined) throw new AppError('UNAUTHORIZED')
  return findNamedEndpoint(header, caller, search)
}

function letIn(
  { authorization, cookie }: IncomingHttpHeaders,
  {
    service,
    endpoint,
    mayBeSession,
  }: { readonly service: GuardServices; readonly endpoint: Endpoint | undefined; readonly mayBeSession: boolean },
): Admitted['by'] | undefined {
  const key = keyFromHeader(authorization)
  const secret = mayBeSession ? cookieNamed(cookie, sessionCookieName(service.info().url)) : undefined
  const bySession = secret === undefined ? undefined : service.sessions.callerOf(secret)
  const caller = key === undefined ? bySession : service.keys.callerOn(key, endpoint)
  if (caller === undefined) return undefined
  if (caller.role !== undefined) requireRoleOf(caller, 'run')
  return key === undefined ? 'session' : 'key'
}

// A foreign Origin was refused before this; browsers leave it out only where nothing is changed.
function isOwnFetch(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  if (headers['sec-fetch-site'] !== 'same-origin' || headers['sec-fetch-dest'] !== 'empty') return false
  return method === 'GET' || method === 'HEAD' || headers.origin !== undefined
}
