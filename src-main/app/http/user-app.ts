import { type Context, Hono } from 'hono'
import { APP_ROUTES, type AppOperation } from '../../contract/app-routes.ts'
import { AppError, errorBody } from '../../contract/errors.ts'
import { PLATFORM_ROUTES, type PlatformOperation } from '../../contract/platform-routes.ts'
import type { Role } from '../../contract/roles.ts'
import { type Route, roleFor } from '../../contract/routes.ts'
import { SERVICE_ROUTES } from '../../contract/service-routes.ts'
import { TASK_ROUTES } from '../../contract/task-calls.ts'
import { OPENAI_ROUTE, V2_ROUTES, type V2Operation } from '../../contract/v2-routes.ts'
import { type AnswerAgent, createAgentRoute } from '../../features/agents/routes.ts'
import { createFindEndpoint } from '../../features/apps/environment-endpoints.ts'
import type { PythonWheel } from '../../features/apps/ports/build.ts'
import { BATCH_V2_OPERATIONS } from '../../features/batches/routes/v2.ts'
import { openaiImages } from '../../features/comfyui-api/routes/openai-images.ts'
import { requireQueue } from '../../features/endpoints/kinds/endpoint-kinds.ts'
import { openai } from '../../features/jobs/routes/openai.ts'
import { JOB_V2_OPERATIONS, LIMIT_NAMES, operateV2 } from '../../features/jobs/routes/v2.ts'
import { headersForPage, preflightHeaders } from '../../features/keys/rules.ts'
import { EXPOSITION_TYPES, formFor } from '../../features/monitoring/rules/exposition.ts'
import type { ServiceBase, ServiceContext } from '../../features/service-context.ts'
import { errorResponse, statusOf } from '../../http/error-response.ts'
import { createEventFeed } from '../../http/follow-events.ts'
import {
  allowedOrigin,
  callerOrGuest,
  endWithKey,
  requireEndpoint,
  requireOwnAddress,
  requireOwnHost,
  requireOwnOrigin,
  requireRole,
} from '../../http/guards.ts'
import { isNamedByHeaders, requireNamedEndpoint } from '../../http/named-endpoint.ts'
import { openApiDocument } from '../../http/openapi.ts'
import type { Operation } from '../../http/operation.ts'
import { addPages, type PageFiles, unknownPage } from '../../http/pages.ts'
import { firstByteOf, parseRequest } from '../../http/read-request.ts'
import { signIn } from '../../http/sign-in.ts'
import { createStrictLimits } from '../../http/strict-limits.ts'
import type { Endpoint } from '../../storage/storage.ts'
import type { Core } from '../core.ts'
import { manage } from './management-routes.ts'

const V2_OPERATIONS = { ...JOB_V2_OPERATIONS, ...BATCH_V2_OPERATIONS }
const PREFLIGHT = 'access-control-request-method'

export function createUserApp(
  core: Pick<Core, 'service' | 'features'>,
  pages: PageFiles,
  { wheel, answerAgent }: { readonly wheel: () => Promise<PythonWheel>; readonly answerAgent: AnswerAgent },
): Hono {
  const { service, features } = core
  const app = new Hono()
  const limits = createStrictLimits(service)
  const findEndpoint = createFindEndpoint(service)
  const followEvents = createEventFeed(service)

  const callerFor = (c: Context, route: Route) => requireRole(c, service, roleFor(route, c.req.method))
  const byPath = (c: Context, role: Role) => requireEndpoint(c, service, c.req.param('endpointId') ?? '', role)
  const byHeaders = (c: Context, role: Role) => requireNamedEndpoint(c, { service, findEndpoint }, role)
  const finderFor = (c: Context) =>
    isNamedByHeaders(c.req.param('endpointId'), (name) => c.req.header(name)) ? byHeaders : byPath

  async function forPages(c: Context, act: () => Promise<Response>): Promise<Response> {
    const origin = allowedOrigin(c, service, c.req.param('endpointId') ?? '')
    if (origin === undefined) {
      requireOwnOrigin(c, service)
      return act()
    }
    const respond = async () => {
      requireOwnHost(c, service)
      return act()
    }
    const response = await respond().catch((error: unknown) => errorResponse(c, error, service))
    for (const [name, value] of Object.entries(headersForPage(origin))) response.headers.set(name, value)
    return response
  }

  /** A preflight carries no key; refused origins learn nothing. */
  function preflight(c: Context): Response {
    const origin = allowedOrigin(c, service, c.req.param('endpointId') ?? '')
    if (origin === undefined) requireOwnOrigin(c, service)
    if (origin === undefined || c.req.header(PREFLIGHT) === undefined) throw unknownRoute(c)
    requireOwnHost(c, service)
    const asked = {
      method: c.req.header(PREFLIGHT),
      headers: c.req.header('access-control-request-headers'),
      privateNetwork: c.req.header('access-control-request-private-network'),
    }
    return new Response(null, { status: 204, headers: preflightHeaders(origin, asked) })
  }

  type FindOne = (c: Context, role: Role) => Endpoint | Promise<Endpoint>
  type Called = { readonly route: Route; readonly limitName: string | undefined; readonly operate: Operation }
  const onEndpoint = (c: Context, called: Called, find: FindOne = byPath) =>
    forPages(c, () => onOwnEndpoint(c, called, find))

  async function onOwnEndpoint(c: Context, { route, limitName, operate }: Called, find: FindOne) {
    const endpoint = await find(c, roleFor(route, c.req.method))
    const leave = limitName === undefined ? undefined : limits.enter(endpoint.id, limitName)
    try {
      return await operate({ c, service, endpoint })
    } finally {
      leave?.()
    }
  }

  const onRoute = ({ methods, path }: Route, answer: (c: Context) => Response | Promise<Response>) =>
    app.on([...methods], path, serveRoute(service, path, answer))
  const forRole = (route: Route, answer: (c: Context) => Response | Promise<Response>) =>
    onRoute(route, (c) => {
      requireOwnOrigin(c, service)
      callerFor(c, route)
      return answer(c)
    })
  const platform = () => features.open("the platform's management API")
  const countUnknown = service.requestCounts.of('unknown')

  app.options('/v2/:endpointId/*', preflight)
  // Before the job API: their first segments are reserved ids.
  for (const [name, route] of Object.entries<Route>(PLATFORM_ROUTES)) {
    onRoute(route, async (c) => {
      requireOwnOrigin(c, service)
      const caller = callerFor(c, route)
      return (await platform()).operate(name as PlatformOperation, c, caller)
    })
  }
  for (const [name, route] of Object.entries<Route>(V2_ROUTES)) {
    const operation = name as V2Operation
    const read: Operation = (request) => operateV2(V2_OPERATIONS, operation, request)
    const operate = operation === 'health' ? read : onQueue(read)
    const called = { route, limitName: LIMIT_NAMES[operation], operate }
    onRoute(route, (c) => onEndpoint(c, called, finderFor(c)))
  }
  const openAi = {
    route: OPENAI_ROUTE,
    limitName: 'runsync',
    operate: onQueue((request) => openaiImages(request) ?? openai(request)),
  }
  app.all(
    OPENAI_ROUTE.path,
    serveRoute(service, OPENAI_ROUTE.path, (c) => onEndpoint(c, openAi)),
  )

  for (const [name, route] of Object.entries<Route>(APP_ROUTES)) {
    onRoute(route, async (c) => {
      requireOwnOrigin(c, service, route.bodyType)
      const caller = callerFor(c, route)
      return manage(name as AppOperation, c, core, caller)
    })
  }
  onRoute(SERVICE_ROUTES.stateManager, async (c) => {
    requireOwnOrigin(c, service)
    const caller = callerOrGuest(c, service)
    return (await platform()).stateManager(c, caller)
  })
  onRoute(SERVICE_ROUTES.upload, async (c) => {
    requireOwnOrigin(c, service, SERVICE_ROUTES.upload.bodyType)
    const { path } = await parseRequest(c, SERVICE_ROUTES.upload, service)
    const { body } = c.req.raw
    const from = firstByteOf(c.req.header('content-range'))
    await (await platform()).uploads.receive(path.uploadId, body ?? new Blob([]).stream(), from)
    return c.body(null, 200)
  })
  onRoute(SERVICE_ROUTES.uploadStatus, async (c) => {
    requireOwnOrigin(c, service)
    const { path } = await parseRequest(c, SERVICE_ROUTES.uploadStatus, service)
    return c.json(await (await platform()).uploads.status(path.uploadId))
  })
  for (const [name, { methods, path }] of Object.entries<Route>(TASK_ROUTES)) {
    app.on([...methods], path, async (c) => {
      requireOwnOrigin(c, service)
      return (await platform()).tasks[name as keyof typeof TASK_ROUTES](c)
    })
  }
  forRole(SERVICE_ROUTES.metrics, async (c) => {
    const form = formFor(c.req.header('accept'))
    return c.body(await service.scrape.read(form), 200, { 'content-type': EXPOSITION_TYPES[form] })
  })
  forRole(SERVICE_ROUTES.events, async (c) =>
    followEvents({ c, ...(await parseRequest(c, SERVICE_ROUTES.events, service)) }),
  )
  forRole(SERVICE_ROUTES.openApi, (c) => c.json(openApiDocument(service.info())))
  onRoute(SERVICE_ROUTES.agents, createAgentRoute(service, answerAgent))
  onRoute(SERVICE_ROUTES.signIn, (c) => signIn(c, service, pages))
  addPages(app, service, pages)
  addPythonIndex(app, service, wheel)

  app.notFound(async (c) => {
    countUnknown(c.req.method, errorBody(unknownRoute(c)).status)
    try {
      if (isOpenedInBrowser(c)) return await unknownPage(c, service, pages)
      requireOwnOrigin(c, service)
      return errorResponse(c, unknownRoute(c), service)
    } catch (error) {
      return errorResponse(c, error, service)
    }
  })
  app.onError((error, c) => errorResponse(c, error, service))
  return app
}

const ALL_ROUTES: readonly Pick<Route, 'methods' | 'path'>[] = [
  ...Object.values(V2_ROUTES),
  ...Object.values(APP_ROUTES),
  ...Object.values(PLATFORM_ROUTES),
  ...Object.values(TASK_ROUTES),
  SERVICE_ROUTES.stateManager,
  SERVICE_ROUTES.agents,
  SERVICE_ROUTES.metrics,
]

const firstPart = (path: string) => path.split('/')[1]
const PARTS_OF_APIS = new Set(ALL_ROUTES.map(({ path }) => firstPart(path)))

// A person who types such an address calls the API and reads its error.
function isOpenedInBrowser({ req }: Context): boolean {
  return req.method === 'GET' && req.header('sec-fetch-dest') === 'document' && !PARTS_OF_APIS.has(firstPart(req.path))
}

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

function onQueue(operate: Operation): Operation {
  return (request) => {
    requireQueue(request.endpoint, request.service)
    return operate(request)
  }
}

// A pip index (PEP 503) for `pip install --index-url ADDRESS/simple/ svc`. It needs no key, which pip would put in the
// address.

const HEADERS = { 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' }
const POLICY = { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" }

function addPythonIndex(app: Hono, service: ServiceBase, wheel: () => Promise<PythonWheel>): void {
  app.get(SERVICE_ROUTES.packageList.path, async (c) => {
    requireOwnAddress(c, service)
    const { name } = await wheel()
    return listing(c, 'Simple index', [`<a href="${name}/">${name}</a>`])
  })
  app.get(SERVICE_ROUTES.packageFiles.path, async (c, next) => {
    requireOwnAddress(c, service)
    const { path } = await parseRequest(c, SERVICE_ROUTES.packageFiles, service)
    const { name, fileName, sha256, requiresPython } = await wheel()
    if (path.project !== name) return next()
    const attribute = requiresPython.replaceAll('>', '&gt;').replaceAll('<', '&lt;')
    const link = `<a href="${fileName}#sha256=${sha256}" data-requires-python="${attribute}">${fileName}</a>`
    return listing(c, `Links for ${name}`, [link])
  })
  app.get(SERVICE_ROUTES.packageFile.path, async (c, next) => {
    requireOwnAddress(c, service)
    const { path } = await parseRequest(c, SERVICE_ROUTES.packageFile, service)
    const { name, fileName, body } = await wheel()
    if (path.project !== name || path.file !== fileName) return next()
    return c.body(body, 200, { ...HEADERS, 'content-type': 'application/zip' })
  })
}

function listing(c: Context, title: string, links: readonly string[]): Response {
  const head = '<meta charset="utf-8"><meta name="pypi:repository-version" content="1.0">'
  const html = `<!DOCTYPE html><html><head>${head}<title>${title}</title></head><body>${links.join('<br>')}</body></html>`
  return c.body(html, 200, { ...HEADERS, ...POLICY, 'content-type': 'text/html; charset=utf-8' })
}

type Answer = (c: Context) => Response | Promise<Response>

/** Counts responses by the row's path, because ids must not become metric labels. */
function serveRoute(service: ServiceContext, path: string, answer: Answer): Answer {
  const count = service.requestCounts.of(path)
  return async (c) => {
    try {
      const response = endWithKey(c, service, await answer(c))
      count(c.req.method, response.status)
      return response
    } catch (error) {
      count(c.req.method, statusOf(error))
      throw error
    }
  }
}
