/**
 * The key and Origin keep foreign pages out, so any content type passes. Only Authorization carries the key, as
 * browsers resend Basic credentials; sessions work only for fetches under /lb; every preflight is foreign and needs
 * `cors`.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { AppError } from '../contract/errors.ts'
import { isOwnHost, isOwnOrigin, keyFromHeader, sessionSecretsIn } from '../features/keys/rules.ts'
import type { GuardServices } from '../features/service-context.ts'
import type { Endpoint } from '../storage/storage.ts'
import { noteAdmission } from './admission.ts'
import { requireRoleOf, schemeOn } from './guards.ts'
import { findNamedEndpoint, isNamedByHeaders, type NamedSearch, type ReadHeader } from './named-endpoint.ts'
import { isEndpointHost, type RequestAddress, readAddress } from './request-address.ts'

export type Admitted = {
  readonly endpoint: Endpoint
  readonly address: RequestAddress
  readonly by: 'key' | 'session' | 'nothing'
  readonly page: string | undefined
  /** True while the credential still opens the endpoint; may throw if not. */
  readonly isAllowed: () => boolean
}

export type AdmittedKind = {
  readonly requireKind: (endpoint: Endpoint) => void
  readonly needsNoKey?: (endpoint: Endpoint) => boolean
  /** Undefined: the listener serves all endpoints. */
  readonly at?: OwnPort | undefined
}

export type OwnPort = { readonly endpointId: string; readonly hosts: ReadonlySet<string> }

/**
 * @throws AppError FORBIDDEN_HOST, FORBIDDEN_ORIGIN, UNAUTHORIZED, FORBIDDEN_ROLE, ENDPOINT_NOT_FOUND, NOT_DEPLOYED,
 * BAD_FIELD, and that of `requireKind`
 */
export async function admit(
  incoming: IncomingMessage,
  search: NamedSearch,
  { requireKind, needsNoKey = () => false, at }: AdmittedKind,
): Promise<Admitted> {
  const { url = '', method, headers, socket } = incoming
  const { service } = search
  const { hosts } = service.info()
  const address = at === undefined ? readAddress(url, headers.host) : addressAt(at, url)
  const host = headers.host?.toLowerCase()
  const isOwn = at === undefined ? namesOwnHost({ url, headers }, service) : isOwnHost(host, at.hosts)
  if (address === undefined || host === undefined || !isOwn) throw new AppError('FORBIDDEN_HOST')
  const page = at === undefined ? foreignPage({ url, headers }, service) : undefined
  const own = address.form === 'host' ? new Set([host]) : hosts
  if (page === undefined && !isOwnOrigin(headers.origin, own, schemeOn(socket))) throw new AppError('FORBIDDEN_ORIGIN')
  const site = headers['sec-fetch-site']
  if (page === undefined && site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new AppError('FORBIDDEN_ORIGIN')

  const endpoint = await endpointOf(address, headers, search)
  const mayBeSession = page === undefined && address.form === 'lb' && isOwnFetch(method, headers)
  const admittedNow = (now: Endpoint | undefined) =>
    admittedBy(headers, { service, endpoint: now, mayBeSession }) ?? (now && needsNoKey(now) ? 'nothing' : undefined)
  const by = admittedNow(endpoint)
  if (by === undefined) throw new AppError('UNAUTHORIZED')
  noteAdmission(incoming)
  if (endpoint === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: address.endpointId.slice(0, 100) })
  requireKind(endpoint)
  if (!address.target.startsWith('/') && !(address.target === '*' && method === 'OPTIONS'))
    throw new AppError('BAD_FIELD', { field: 'request', why: 'its address must be a path' })
  const { id } = endpoint
  const isAllowed = () => admittedNow(service.storage.endpoints.get(id)) !== undefined
  return { endpoint, address, by, page, isAllowed }
}

const addressAt = ({ endpointId }: OwnPort, url: string): RequestAddress => ({
  ...{ endpointId, form: 'host', prefix: '', target: url },
})

export function namesOwnHost(
  { url = '', headers: { host } }: Pick<IncomingMessage, 'url' | 'headers'>,
  { info }: GuardServices,
): boolean {
  const { hosts } = info()
  return readAddress(url, host)?.form === 'host' ? isEndpointHost(host, hosts) : isOwnHost(host, hosts)
}

export function foreignPage(
  { url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>,
  { storage }: GuardServices,
): string | undefined {
  const { origin, host } = headers
  const endpointId = readAddress(url, host)?.endpointId ?? ''
  const lets = origin !== undefined && storage.endpoints.get(endpointId)?.config.cors?.includes(origin) === true
  return lets ? origin : undefined
}

// Without a key, callers learn nothing.
async function endpointOf(
  { endpointId }: RequestAddress,
  headers: IncomingHttpHeaders,
  search: NamedSearch,
): Promise<Endpoint | undefined> {
  const { service } = search
  const header: ReadHeader = (name) => headers[name.toLowerCase()]?.toString()
  if (!isNamedByHeaders(endpointId, header)) return service.storage.endpoints.get(endpointId)
  const key = keyFromHeader(headers.authorization)
  const caller = key === undefined ? undefined : service.keys.callerOf(key)
  if (caller === undefined) throw new AppError('UNAUTHORIZED')
  return findNamedEndpoint(header, caller, search)
}

function admittedBy(
  headers: IncomingHttpHeaders,
  {
    service,
    endpoint,
    mayBeSession,
  }: { readonly service: GuardServices; readonly endpoint: Endpoint | undefined; readonly mayBeSession: boolean },
): Admitted['by'] | undefined {
  const key = keyFromHeader(headers.authorization)
  const secrets = mayBeSession ? sessionSecretsIn((name) => headers[name]?.toString(), service.info().url) : undefined
  const bySession = secrets && service.sessions.callerOf(secrets)
  const caller = key === undefined ? bySession : service.keys.callerOn(key, endpoint)
  if (caller === undefined) return undefined
  if (caller.role !== undefined) requireRoleOf(caller, 'run')
  return key === undefined ? 'session' : 'key'
}

// Browsers omit Origin only for methods that change nothing; foreign origins were refused earlier.
function isOwnFetch(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  if (headers['sec-fetch-site'] !== 'same-origin' || headers['sec-fetch-dest'] !== 'empty') return false
  return method === 'GET' || method === 'HEAD' || headers.origin !== undefined
}
