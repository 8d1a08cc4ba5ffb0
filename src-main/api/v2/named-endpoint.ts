/**
 * Endpoints that the public app SDKs call by name: the headers say which. /v2/flash/run and every other operation of the
 * job API is a call to a function; flash.localhost and /lb/flash take requests to a load-balanced endpoint. Source:
 * docs/spec/app-deploy.md, 1.
 */
import { isUtf8 } from 'node:buffer'
import type { Context } from 'hono'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { Role } from '../../contract/roles.ts'
import { type FindEndpoint, releaseToCome } from '../../services/apps/environment-endpoints.ts'
import { type Caller, maySee } from '../../services/keys.ts'
import type { Endpoint } from '../../services/ports/storage.ts'
import type { NamedEndpointServices } from '../../services/service-context.ts'
import { requireCaller, requireOpen } from '../guards.ts'

const HEADERS = { app: 'X-Flash-App', environment: 'X-Flash-Environment', name: 'X-Flash-Endpoint' } as const

/** Gives a header of a request; undefined where it is not there. */
export type ReadHeader = (name: string) => string | undefined

/** Whether a request names its endpoint by headers; without them `flash` is an endpoint as any. */
export function namesEndpoint(header: ReadHeader): boolean {
  return Object.values(HEADERS).some((name) => header(name) !== undefined)
}

/** Arguments of a search for an endpoint by name. */
export type NamedSearch = {
  readonly service: NamedEndpointServices
  readonly findEndpoint: FindEndpoint
  /** Aborts when the client disconnects. */
  readonly gone: AbortSignal
}

/**
 * Finds the endpoint that the headers name. If only a release in preparation has it, waits for that release. A worker
 * of another app learns nothing about deployed endpoints.
 * @throws AppError UNAUTHORIZED, BAD_FIELD, NOT_DEPLOYED
 */
export async function findNamedEndpoint(header: ReadHeader, caller: Caller, search: NamedSearch): Promise<Endpoint> {
  const named = {
    app: readName(header, HEADERS.app),
    environment: readName(header, HEADERS.environment),
    name: readName(header, HEADERS.name),
  }
  if (!maySee(caller, named)) throw new AppError('UNAUTHORIZED')
  const endpoint = search.findEndpoint(named) ?? (await findReleased(named, caller, search))
  if (endpoint === undefined) {
    const { app, environment, name } = named
    throw new AppError('NOT_DEPLOYED', { app, environment, endpoint: name })
  }
  return endpoint
}

// The platform's tools report a deploy as live while its first workers still start. A call by a worker does not wait,
// because its own release may be waiting for it.
async function findReleased(
  named: Parameters<FindEndpoint>[0],
  { role }: Caller,
  { service, findEndpoint, gone }: NamedSearch,
): Promise<Endpoint | undefined> {
  const release = role === undefined ? undefined : releaseToCome(service.storage, named)
  if (release === undefined) return undefined
  await service.releases.whenLive(release, { ms: limit('releaseWaitMs'), signal: gone })
  return gone.aborted ? undefined : findEndpoint(named)
}

/** The same for a call of the job API, with a key or session that opens it. @throws the same, AppError FORBIDDEN_ROLE */
export async function requireNamedEndpoint(
  c: Context,
  { service, findEndpoint }: Omit<NamedSearch, 'gone'>,
  needed: Role,
): Promise<Endpoint> {
  const search = { service, findEndpoint, gone: c.req.raw.signal }
  const endpoint = await findNamedEndpoint((name) => c.req.header(name), requireCaller(c, service), search)
  requireOpen(c, service, endpoint, needed)
  return endpoint
}

// Longer names than these are not even shown in an error.
const LENGTH = 255

// Node reads headers byte by byte, and clients send names as UTF-8.
function readName(header: ReadHeader, name: string): string {
  const value = header(name) ?? ''
  if (value === '' || value.length > LENGTH)
    throw new AppError('BAD_FIELD', { field: name, why: `must be a name of at most ${LENGTH} bytes` })
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : value
}
