/**
 * Finds endpoints that public app SDKs name by headers: /v2/flash for job calls, flash.localhost and /lb/flash for
 * load-balanced requests. Source: docs/spec/app-deploy.md, 1.
 */
import { isUtf8 } from 'node:buffer'
import type { Context } from 'hono'
import { PLACEHOLDER_ID } from '../contract/endpoint.ts'
import { AppError } from '../contract/errors.ts'
import { limit } from '../contract/limits.ts'
import type { Role } from '../contract/roles.ts'
import { type FindEndpoint, releaseToCome } from '../features/apps/environment-endpoints.ts'
import { type Caller, maySee } from '../features/keys/keys.ts'
import type { NamedEndpointServices } from '../features/service-context.ts'
import type { Endpoint } from '../storage/storage.ts'
import { requireCaller, requireOpen } from './guards.ts'

const HEADERS = { app: 'X-Flash-App', environment: 'X-Flash-Environment', name: 'X-Flash-Endpoint' } as const

export type ReadHeader = (name: string) => string | undefined

/** Whether headers name the endpoint, in place of the id in the address. */
export function isNamedByHeaders(endpointId: string | undefined, header: ReadHeader): boolean {
  return endpointId === PLACEHOLDER_ID && Object.values(HEADERS).some((name) => header(name) !== undefined)
}

export type NamedSearch = {
  readonly service: NamedEndpointServices
  readonly findEndpoint: FindEndpoint
  readonly gone: AbortSignal
}

/**
 * Waits for a release in preparation. Workers of other apps learn nothing.
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

// Platform tools report a deploy as live while workers still start. A worker's call never waits, since its own release
// may await it.
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

const LENGTH = 255

// Node decodes headers as bytes, and clients send names as UTF-8.
function readName(header: ReadHeader, name: string): string {
  const value = header(name) ?? ''
  if (value === '' || value.length > LENGTH)
    throw new AppError('BAD_FIELD', { field: name, why: `must be a name of at most ${LENGTH} bytes` })
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : value
}
