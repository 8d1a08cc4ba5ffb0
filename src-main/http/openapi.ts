import { type ZodType, z } from 'zod'
import { APP_ROUTES } from '../contract/app-routes.ts'
import { ERRORS, type ErrorCode } from '../contract/errors.ts'
import { PLATFORM_ROUTES_HERE } from '../contract/platform-routes.ts'
import type { Route } from '../contract/routes.ts'
import { COMMON_ERRORS, V2_ROUTES } from '../contract/v2-routes.ts'
import { capitalized } from '../lib/text.ts'

const problem = z.object({
  error: z.string(),
  code: z.string(),
  status: z.number().int(),
  title: z.string(),
  detail: z.string(),
})

// A problem document (RFC 9457) with our code and a line for each wrong field.
const platformProblem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  code: z.string(),
  errors: z.array(z.unknown()).optional(),
})

type ErrorForm = { readonly type: string; readonly schema: ZodType }

const TABLES: readonly {
  readonly routes: Readonly<Record<string, Route>>
  readonly tag: string
  readonly nameOf: (name: string) => string
  readonly errors: ErrorForm
}[] = [
  { routes: V2_ROUTES, tag: 'Job API', nameOf: (name) => name, errors: { type: 'application/json', schema: problem } },
  {
    routes: APP_ROUTES,
    tag: 'Management',
    nameOf: (name) => name,
    errors: { type: 'application/json', schema: problem },
  },
  {
    routes: PLATFORM_ROUTES_HERE,
    tag: 'Management API of the platform',
    nameOf: (name) => `platform${capitalized(name)}`,
    errors: { type: 'application/problem+json', schema: platformProblem },
  },
]

export function openApiDocument({ url, version }: { readonly url: string; readonly version: string }): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const { routes, tag, nameOf, errors } of TABLES) {
    for (const [name, route] of Object.entries(routes)) {
      const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
      for (const method of route.methods) {
        const operationId = `${nameOf(name)}${route.methods.length > 1 && method === 'POST' ? 'Post' : ''}`
        const operation = { operationId, summary: route.summary, tags: [tag], ...describe(route, errors) }
        paths[path] = { ...paths[path], [method.toLowerCase()]: operation }
      }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Drydock', version, description: 'The v2 job API of serverless endpoints on your own machine.' },
    servers: [{ url }],
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    paths,
  }
}

function describe(route: Route, errors: ErrorForm): object {
  const names = [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')
  const inPath = names.map((name) => parameter(name, 'path', route.params?.[name] ?? z.string()))
  const inQuery = Object.entries(route.query ?? {}).map(([name, schema]) => parameter(name, 'query', schema))
  const parameters = [...inPath, ...inQuery]
  return {
    ...(parameters.length === 0 ? {} : { parameters }),
    ...bodyOf(route),
    responses: {
      [route.status ?? 200]: {
        description: 'Success',
        ...(route.status === 204 ? {} : { content: json(route.response) }),
      },
      ...errorResponses([...COMMON_ERRORS, ...(route.errors ?? [])], errors),
    },
  }
}

function parameter(name: string, location: 'path' | 'query', schema: ZodType): object {
  const { description } = schema
  return {
    schema: jsonSchema(schema),
    required: !schema.safeParse(undefined).success,
    ...(description === undefined ? {} : { description }),
    name,
    in: location,
  }
}

const json = (schema: ZodType) => ({ 'application/json': { schema: jsonSchema(schema) } })

function jsonSchema(schema: ZodType): object {
  const { $schema: _draft, ...described } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ jsonSchema: made }) {
      // JavaScript's range of whole numbers is not a limit of ours.
      if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum
      if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum
    },
  })
  return described
}

function bodyOf({ body, bodyType }: Route): object {
  const bytes = { schema: { type: 'string', format: 'binary' } } as const
  if (bodyType !== undefined) return { requestBody: { required: true, content: { [bodyType]: bytes } } }
  return body === undefined ? {} : { requestBody: { required: true, content: json(body) } }
}

function errorResponses(codes: readonly ErrorCode[], { type, schema }: ErrorForm): object {
  const content = { [type]: { schema: jsonSchema(schema) } }
  const byStatus = new Map<number, Set<ErrorCode>>()
  for (const code of codes) {
    const { status } = ERRORS[code]
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code))
  }
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [status, { description: [...names].join(', '), content }]),
  )
}
