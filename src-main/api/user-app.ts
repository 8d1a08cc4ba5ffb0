import { type Context, Hono } from 'hono'
import { APP_ROUTES, type AppOperation } from '../contract/app-routes.ts'
import { AppError } from '../contract/errors.ts'
import type { Route } from '../contract/routes.ts'
import { V2_ROUTES, type V2Operation } from '../contract/v2-routes.ts'
import { headersForPage, preflightHeaders } from '../domain/cross-origin.ts'
import { createFindEndpoint } from '../services/apps/find-endpoint.ts'
import { addressesOf } from '../services/management/views.ts'
import type { PythonWheel } from '../services/ports/build.ts'
import type { Endpoint } from '../services/ports.ts'
import type { ServiceContext } from '../services/service-context.ts'
import { errorResponse } from './error-response.ts'
import { serveEvents } from './events.ts'
import {
  allowedOrigin,
  requireAccount,
  requireCaller,
  requireEndpoint,
  requireOwnHost,
  requireOwnPlace,
} from './guards.ts'
import { APP_OPERATIONS } from './management/routes.ts'
import { openApiDocument } from './openapi.ts'
import { addPages, type PageFiles } from './pages.ts'
import { addPythonIndex } from './python-index.ts'
import { SIGN_IN_PATH, signIn } from './sign-in.ts'
import { createStateManager, STATE_MANAGER_ROUTE } from './state-manager/state-manager.ts'
import { createStrictLimits } from './strict-limits.ts'
import { NAMED, namesEndpoint, requireNamedEndpoint } from './v2/named-endpoint.ts'
import { openai } from './v2/openai.ts'
import type { Operation } from './v2/operation.ts'
import { LIMIT_NAMES, V2_OPERATIONS } from './v2/routes.ts'

const PREFLIGHT = 'access-control-request-method'

/**
 * The app of the listener for users: the job API, the management API, the state manager, events, the OpenAPI document,
 * the pages and the package index.
 */
export function createUserApp(service: ServiceContext, pages: PageFiles, wheel: () => Promise<PythonWheel>): Hono {
  const app = new Hono()
  const limits = createStrictLimits(service)
  const findEndpoint = createFindEndpoint(service)
  const stateManager = createStateManager(service, findEndpoint)

  const byPath = (c: Context) => requireEndpoint(c, service, c.req.param('endpointId') ?? '')
  const byHeaders = (c: Context) => requireNamedEndpoint(c, service, findEndpoint)

  /** Does the same for pages of other origins that the endpoint lets in; they may read what is answered, errors too. */
  async function forPages(c: Context, act: () => Promise<Response>): Promise<Response> {
    const origin = allowedOrigin(c, service, c.req.param('endpointId') ?? '')
    if (origin === undefined) {
      requireOwnPlace(c, service)
      return act()
    }
    const answer = async () => {
      requireOwnHost(c, service)
      return act()
    }
    const response = await answer().catch((error: unknown) => errorResponse(c, error, service))
    for (const [name, value] of Object.entries(headersForPage(origin))) response.headers.set(name, value)
    return response
  }

  /** Whether a page may ask; it brings no key yet. Who is not let in learns nothing, as with any request. */
  function preflight(c: Context): Response {
    const origin = allowedOrigin(c, service, c.req.param('endpointId') ?? '')
    if (origin === undefined) requireOwnPlace(c, service)
    if (origin === undefined || c.req.header(PREFLIGHT) === undefined) throw unknownRoute(c)
    requireOwnHost(c, service)
    const asked = {
      method: c.req.header(PREFLIGHT),
      headers: c.req.header('access-control-request-headers'),
      privateNetwork: c.req.header('access-control-request-private-network'),
    }
    return new Response(null, { status: 204, headers: preflightHeaders(origin, asked) })
  }

  const onEndpoint = (c: Context, limitName: string | undefined, operate: Operation, find = byPath) =>
    forPages(c, () => onOwnEndpoint(c, limitName, operate, find))

  async function onOwnEndpoint(c: Context, limitName: string | undefined, operate: Operation, find: typeof byPath) {
    const endpoint = find(c)
    const leave = limitName === undefined ? undefined : limits.enter(endpoint.id, limitName)
    try {
      return await operate({ c, service, endpoint })
    } finally {
      leave?.()
    }
  }

  app.options('/v2/:endpointId/*', preflight)
  app.post(`/v2/${NAMED}/runsync`, (c, next) =>
    namesEndpoint((name) => c.req.header(name))
      ? onEndpoint(c, LIMIT_NAMES.runsync, onQueue(V2_OPERATIONS.runsync), byHeaders)
      : next(),
  )
  for (const [name, route] of Object.entries(V2_ROUTES)) {
    const operation = name as V2Operation
    const operate = operation === 'health' ? V2_OPERATIONS.health : onQueue(V2_OPERATIONS[operation])
    app.on([...route.methods], route.path, (c) => onEndpoint(c, LIMIT_NAMES[operation], operate))
  }
  app.all('/v2/:endpointId/openai/*', (c) => onEndpoint(c, 'runsync', onQueue(openai)))

  for (const [name, route] of Object.entries<Route>(APP_ROUTES)) {
    app.on([...route.methods], route.path, async (c) => {
      requireOwnPlace(c, service, route.bodyType)
      requireAccount(c, service)
      return APP_OPERATIONS[name as AppOperation](c, service)
    })
  }
  app.post(STATE_MANAGER_ROUTE.path, (c) => {
    requireOwnPlace(c, service)
    return stateManager(c, requireCaller(c, service))
  })
  app.get('/events', (c) => {
    requireOwnPlace(c, service)
    requireAccount(c, service)
    return serveEvents(c, service)
  })
  app.get('/openapi.json', (c) => {
    requireOwnPlace(c, service)
    requireAccount(c, service)
    return c.json(openApiDocument(service.info()))
  })
  app.get(SIGN_IN_PATH, (c) => signIn(c, service))
  addPages(app, service, pages)
  addPythonIndex(app, service, wheel)

  app.notFound((c) => {
    try {
      requireOwnPlace(c, service)
      return errorResponse(c, unknownRoute(c), service)
    } catch (error) {
      return errorResponse(c, error, service)
    }
  })
  app.onError((error, c) => errorResponse(c, error, service))
  return app
}

/** @throws AppError NOT_QUEUE_BASED: a load-balanced endpoint takes no jobs */
function onQueue(operate: Operation): Operation {
  return (request) => {
    const { endpoint, service } = request
    if (endpoint.config.loadBalanced !== undefined) throw notQueueBased(endpoint, service)
    return operate(request)
  }
}

function notQueueBased(endpoint: Endpoint, service: ServiceContext): AppError {
  const { url, hostUrl } = addressesOf(endpoint, service.info().url)
  return new AppError('NOT_QUEUE_BASED', { endpointId: endpoint.id, address: `${url}/ or ${hostUrl}/` })
}

const ALL_ROUTES: readonly Pick<Route, 'methods' | 'path'>[] = [
  ...Object.values(V2_ROUTES),
  ...Object.values(APP_ROUTES),
  STATE_MANAGER_ROUTE,
]

function unknownRoute(c: Context): AppError {
  const { method, path } = c.req
  const same = ALL_ROUTES.filter((route) => matches(route.path, path))
  if (same.length === 0) return new AppError('ROUTE_NOT_FOUND', { method, path: path.slice(0, 200) })
  const allowed = [...new Set(same.flatMap((route) => route.methods))].join(', ')
  return new AppError('METHOD_NOT_ALLOWED', { method, path: path.slice(0, 200), allowed })
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/')
  const parts = path.split('/')
  return wanted.length === parts.length && wanted.every((part, at) => part.startsWith(':') || part === parts[at])
}
