import { createRoute, OpenAPIHono } from '@hono/zod-openapi'
import { type ZodType, z } from 'zod'
import { APP_ROUTES } from '../contract/app-routes.ts'
import { ERRORS, type ErrorCode } from '../contract/errors.ts'
import type { Route } from '../contract/routes.ts'
import { COMMON_ERRORS, V2_ROUTES } from '../contract/v2-routes.ts'

const problem = z.object({
  error: z.string(),
  code: z.string(),
  status: z.number().int(),
  title: z.string(),
  detail: z.string(),
})

/** The OpenAPI 3.1 document, made from the same route tables that the router is made from. */
export function openApiDocument({ url, version }: { readonly url: string; readonly version: string }): object {
  const app = new OpenAPIHono()
  app.openAPIRegistry.registerComponent('securitySchemes', 'key', { type: 'http', scheme: 'bearer' })
  for (const [table, tag] of [
    [V2_ROUTES, 'Job API'],
    [APP_ROUTES, 'Management'],
  ] as const) {
    for (const [name, route] of Object.entries<Route>(table)) {
      for (const method of route.methods) {
        const id = route.methods.length > 1 && method === 'POST' ? `${name}Post` : name
        app.openAPIRegistry.registerPath(describe(route, method, { id, tag }))
      }
    }
  }
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Drydock', version, description: 'The v2 job API of serverless endpoints on your own machine.' },
    servers: [{ url }],
    security: [{ key: [] }],
  })
}

function describe(
  route: Route,
  method: Route['methods'][number],
  { id, tag }: { readonly id: string; readonly tag: string },
) {
  const places = [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')
  return createRoute({
    method: method.toLowerCase() as 'get',
    path: route.path.replaceAll(/:(\w+)/g, '{$1}'),
    operationId: id,
    summary: route.summary,
    tags: [tag],
    request: {
      params: z.object(Object.fromEntries(places.map((place) => [place, z.string()]))),
      ...(route.query === undefined ? {} : { query: z.object(route.query) }),
      ...bodyOf(route),
    },
    responses: {
      200: { description: 'Success', content: json(route.answer) },
      ...errorAnswers([...COMMON_ERRORS, ...route.errors]),
    },
  })
}

const json = (schema: ZodType) => ({ 'application/json': { schema } })

function bodyOf({ body, bodyType }: Route) {
  const bytes = { schema: { type: 'string', format: 'binary' } } as const
  if (bodyType !== undefined) return { body: { required: true, content: { [bodyType]: bytes } } }
  return body === undefined ? {} : { body: { required: true, content: json(body) } }
}

function errorAnswers(codes: readonly ErrorCode[]) {
  const byStatus = new Map<number, Set<ErrorCode>>()
  for (const code of codes) {
    const { status } = ERRORS[code]
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code))
  }
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [
      status,
      { description: [...names].join(', '), content: { 'application/json': { schema: problem } } },
    ]),
  )
}
