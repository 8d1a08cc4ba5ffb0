/**
 * Every browser page can reach localhost, so requests need our host, no foreign origin, a key and JSON; cookie sessions
 * also need the page key. Source: docs/spec/targets.md, 3.
 */
import type { Context } from 'hono'
import { AppError } from '../contract/errors.ts'
import { isEnough, type Role } from '../contract/roles.ts'
import type { Route } from '../contract/routes.ts'
import { type Caller, GUEST } from '../features/keys/keys.ts'
import { isOwnHost, isOwnOrigin, keyFromHeader, PAGE_KEY_QUERY, sessionSecretsIn } from '../features/keys/rules.ts'
import type { SessionSecrets } from '../features/keys/sessions.ts'
import type { GuardServices, ServiceBase } from '../features/service-context.ts'
import type { ConnectionEnds } from '../runtimes/port.ts'
import type { Endpoint } from '../storage/storage.ts'
import { noteAdmission, repeatAdmission, setAdmission } from './admission.ts'
import type { NodeBindings } from './node-bindings.ts'

/** @throws AppError FORBIDDEN_HOST, FORBIDDEN_ORIGIN, UNSUPPORTED_MEDIA_TYPE; the default type is JSON */
export function requireOwnOrigin(c: Context, service: GuardServices, bodyType?: Route['bodyType']): void {
  requireOwnAddress(c, service)
  const site = c.req.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new AppError('FORBIDDEN_ORIGIN')
  requireBodyType(c, bodyType ?? 'application/json')
}

/**
 * Allows links from foreign pages, so use it alone only without user data.
 * @throws AppError FORBIDDEN_HOST, FORBIDDEN_ORIGIN
 */
export function requireOwnAddress(c: Context, { info }: ServiceBase): void {
  const { hosts } = info()
  if (!isOwnHost(c.req.header('host'), hosts)) throw new AppError('FORBIDDEN_HOST')
  if (!isOwnOrigin(c.req.header('origin'), hosts, schemeOf(c))) throw new AppError('FORBIDDEN_ORIGIN')
}

/** Undefined unless the endpoint allows the foreign origin. With one, a browser session does not count. */
export function allowedOrigin(c: Context, { info, storage }: ServiceBase, endpointId: string): string | undefined {
  const origin = c.req.header('origin')
  if (origin === undefined || isOwnOrigin(origin, info().hosts, schemeOf(c))) return undefined
  return storage.endpoints.get(endpointId)?.config.cors?.includes(origin) === true ? origin : undefined
}

export function requireOwnHost(c: Context, { info }: ServiceBase): void {
  if (!isOwnHost(c.req.header('host'), info().hosts)) throw new AppError('FORBIDDEN_HOST')
  if (c.req.method !== 'OPTIONS') requireBodyType(c, 'application/json')
}

// A page of another origin can post any type other than JSON without a preflight.
function requireBodyType(c: Context, wanted: string): void {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return
  const type = c.req.header('content-type')
  if (type === undefined) {
    if (hasBody(c)) throw new AppError('UNSUPPORTED_MEDIA_TYPE', { type: 'without a Content-Type', wanted })
  } else if (type.split(';', 1)[0]?.trim().toLowerCase() !== wanted && !isFormWithPictures(c))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', { type: type.slice(0, 100), wanted })
}

const EDITS_PATH = /^\/v2\/[^/]+\/openai\/(?:v1\/)?images\/edits$/

// OpenAI's clients send pictures in forms. Pages of other origins cannot send Authorization without a preflight.
const isFormWithPictures = ({ req }: Context): boolean =>
  EDITS_PATH.test(req.path) &&
  req.header('content-type')?.toLowerCase().startsWith('multipart/form-data;') === true &&
  req.header('authorization') !== undefined

function hasBody(c: Context): boolean {
  return c.req.header('transfer-encoding') !== undefined || Number(c.req.header('content-length') ?? 0) > 0
}

/**
 * Requires the account key, a named key with the role, or a session.
 * @throws AppError UNAUTHORIZED, FORBIDDEN_ROLE, or FORBIDDEN_KEY for the key of an endpoint or calling worker
 */
export function requireRole(c: Context, service: GuardServices, needed: Role): Caller {
  return admitBy(c, service, () => {
    const caller = callerNow(c, service)
    requireRoleOf(caller, needed)
    return caller
  })
}

/** Keeps `check`, which can be repeated while the request lasts. */
function admitBy(c: Context, service: GuardServices, check: () => Caller): Caller {
  const caller = check()
  noteUse(c, service, caller)
  setAdmission(c, check)
  return caller
}

export function endWithKey(c: Context, { openStreams }: GuardServices, response: Response): Response {
  const { outgoing } = (c.env ?? {}) as NodeBindings
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!isStream || outgoing === undefined || outgoing.closed) return response
  const check = () => {
    repeatAdmission(c)
    return true
  }
  outgoing.once(
    'close',
    openStreams.watch(check, () => outgoing.destroy()),
  )
  return response
}

export function requireRoleOf({ role, name = '' }: Caller, needed: Role): void {
  if (role === undefined) throw new AppError('FORBIDDEN_KEY')
  if (!isEnough(role, needed)) throw new AppError('FORBIDDEN_ROLE', { name, role, needed })
}

export function requireCaller(c: Context, service: GuardServices): Caller {
  return admitBy(c, service, () => callerNow(c, service))
}

function callerNow(c: Context, service: GuardServices): Caller {
  const key = keyFromHeader(c.req.header('authorization'))
  const caller = key === undefined ? sessionCaller(c, service) : service.keys.callerOf(key)
  if (caller === undefined) throw new AppError('UNAUTHORIZED')
  return caller
}

export function callerOrGuest(c: Context, service: GuardServices): Caller {
  const isGuest = c.req.header('authorization') === undefined && sessionCaller(c, service) === undefined
  return isGuest ? GUEST : requireCaller(c, service)
}

export function addressOf(c: Context): string | undefined {
  return connectionOf(c).remoteAddress
}

export function schemeOf(c: Context): 'http' | 'https' {
  return schemeOn(connectionOf(c))
}

export function schemeOn(socket: object | undefined): 'http' | 'https' {
  return socket !== undefined && 'encrypted' in socket && socket.encrypted === true ? 'https' : 'http'
}

export function connectionOf(c: Context): Partial<ConnectionEnds> {
  return (c.env as NodeBindings | undefined)?.incoming?.socket ?? {}
}

function noteUse(c: Context, { namedKeys }: GuardServices, { holder, name }: Caller): void {
  noteAdmission((c.env as NodeBindings | undefined)?.incoming)
  if (holder === 'named' && name !== undefined) namedKeys.noteUse(name, addressOf(c))
}

/**
 * Callers without access learn nothing about existing endpoints.
 * @throws AppError UNAUTHORIZED, FORBIDDEN_ROLE, ENDPOINT_NOT_FOUND
 */
export function requireEndpoint(c: Context, service: GuardServices, endpointId: string, needed: Role): Endpoint {
  const endpoint = service.storage.endpoints.get(endpointId)
  requireOpen(c, service, endpoint, needed)
  if (endpoint === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId })
  return endpoint
}

/**
 * For a missing endpoint, requires a key that would open it.
 * @param needed role for account and named keys; the endpoint's own key and its peers open all
 * @throws AppError UNAUTHORIZED, FORBIDDEN_ROLE
 */
export function requireOpen(c: Context, service: GuardServices, endpoint: Endpoint | undefined, needed: Role): void {
  admitBy(c, service, () => {
    const now = endpoint && service.storage.endpoints.get(endpoint.id)
    const key = keyFromHeader(c.req.header('authorization'))
    const caller = key === undefined ? sessionCaller(c, service) : service.keys.callerOn(key, now)
    if (caller === undefined) throw new AppError('UNAUTHORIZED')
    if (caller.role !== undefined) requireRoleOf(caller, needed)
    return caller
  })
}

export function sessionSecrets(c: Context, { info }: ServiceBase): SessionSecrets | undefined {
  // A page cannot add headers to pictures, event streams and downloads.
  const inAddress = c.req.method === 'GET' ? c.req.query(PAGE_KEY_QUERY) : undefined
  return sessionSecretsIn((name) => c.req.header(name), info().url, inAddress)
}

// Browsers add the cookie to the requests of every page.
function sessionCaller(c: Context, service: GuardServices): Caller | undefined {
  if (!isOwnOrigin(c.req.header('origin'), service.info().hosts, schemeOf(c))) return undefined
  const secrets = sessionSecrets(c, service)
  return secrets && service.sessions.callerOf(secrets)
}
