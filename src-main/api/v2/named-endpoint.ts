/**
 * POST /v2/flash/runsync, the call of the public app SDK to a function by name: the headers say where it is. What it
 * then asks for is runsync. Source: app-deploy, the Python package.
 */
import { isUtf8 } from 'node:buffer'
import type { Context } from 'hono'
import { AppError } from '../../contract/errors.ts'
import type { FindEndpoint } from '../../services/apps/find-endpoint.ts'
import { maySee } from '../../services/management/keys.ts'
import type { Endpoint } from '../../services/ports.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import { opens, requireCaller } from '../guards.ts'

const HEADERS = { app: 'X-Flash-App', environment: 'X-Flash-Environment', name: 'X-Flash-Endpoint' } as const

/** Whether a request names its endpoint by headers; without them `flash` is an endpoint as any. */
export function namesEndpoint(c: Context): boolean {
  return Object.values(HEADERS).some((header) => c.req.header(header) !== undefined)
}

/**
 * Finds the endpoint that the headers name. A worker of another app learns nothing of what is deployed.
 * @throws AppError UNAUTHORIZED, BAD_FIELD, NOT_DEPLOYED
 */
export function requireNamedEndpoint(c: Context, service: ServiceContext, findEndpoint: FindEndpoint): Endpoint {
  const caller = requireCaller(c, service)
  const named = {
    app: readHeader(c, HEADERS.app),
    environment: readHeader(c, HEADERS.environment),
    name: readHeader(c, HEADERS.name),
  }
  if (!maySee(caller, named)) throw new AppError('UNAUTHORIZED')
  const endpoint = findEndpoint(named)
  if (endpoint === undefined) {
    const { app, environment, name } = named
    throw new AppError('NOT_DEPLOYED', { app, environment, endpoint: name })
  }
  if (!opens(c, service, endpoint)) throw new AppError('UNAUTHORIZED')
  return endpoint
}

// Longer names than these are not even shown in an error.
const LENGTH = 255

// Node reads headers byte by byte, and clients send names as UTF-8.
function readHeader(c: Context, header: string): string {
  const value = c.req.header(header) ?? ''
  if (value === '' || value.length > LENGTH)
    throw new AppError('BAD_FIELD', { field: header, why: `must be a name of at most ${LENGTH} bytes` })
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : value
}
