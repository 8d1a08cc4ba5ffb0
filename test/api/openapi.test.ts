import { describe, expect, it } from 'vitest'
import { APP_ROUTES } from '../../src-main/contract/app-routes.ts'
import { ERRORS, type ErrorCode } from '../../src-main/contract/errors.ts'
import { PLATFORM_ROUTES_HERE } from '../../src-main/contract/platform-routes.ts'
import type { Route } from '../../src-main/contract/routes.ts'
import { COMMON_ERRORS, V2_ROUTES } from '../../src-main/contract/v2-routes.ts'
import { setup } from '../support/core.ts'

const ROUTES: readonly Route[] = [...Object.values(V2_ROUTES), ...Object.values(APP_ROUTES)]
// Their tests ask them; see test/api/platform-*.test.ts.
const DESCRIBED: readonly Route[] = [...ROUTES, ...Object.values(PLATFORM_ROUTES_HERE)]
type Operation = {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[]
  readonly responses: Readonly<Record<string, { readonly description: string }>>
  readonly requestBody?: unknown
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

async function document() {
  const { get } = await setup()
  return get('/openapi.json')
}

describe('/openapi.json', () => {
  it('holds exactly the routes of the tables', async () => {
    const { paths } = await document()
    const shown = Object.entries<object>(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    )
    const wanted = DESCRIBED.flatMap(({ methods, path }) =>
      methods.map((method) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
    )
    expect(shown.sort()).toEqual(wanted.sort())
  })

  it('is a valid 3.1 document: every operation has an id of its own, its places, and answers with a text', async () => {
    const { openapi, info, servers, security, components, paths } = await document()
    expect({ openapi, info, servers, security }).toEqual({
      openapi: '3.1.0',
      info: { title: 'Drydock', version: '0.0.1', description: expect.any(String) },
      servers: [{ url: 'http://127.0.0.1:8790' }],
      security: [{ key: [] }],
    })
    expect(components.securitySchemes).toEqual({ key: { type: 'http', scheme: 'bearer' } })
    const ids: string[] = []
    for (const [path, item] of Object.entries<Record<string, Operation>>(paths)) {
      for (const [method, operation] of Object.entries(item)) {
        expect(METHODS).toContain(method)
        const { operationId, parameters = [], responses, requestBody } = operation
        ids.push(operationId)
        const places = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
        const declared = parameters.filter((parameter) => parameter.in === 'path')
        expect(declared.map(({ name }) => name)).toEqual(places)
        expect(declared.every(({ required }) => required === true)).toBe(true)
        if (method === 'get') expect(requestBody).toBe(undefined)
        for (const { description } of Object.values(responses)) expect(description.length).toBeGreaterThan(0)
      }
    }
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('names every error of every route under its status', async () => {
    const { paths } = await document()
    for (const { methods, path, errors = [] } of DESCRIBED) {
      for (const method of methods) {
        const { responses } = paths[path.replaceAll(/:(\w+)/g, '{$1}')][method.toLowerCase()]
        for (const code of [...COMMON_ERRORS, ...errors] as ErrorCode[])
          expect(responses[ERRORS[code].status].description.split(', ')).toContain(code)
      }
    }
  })

  it('refers only to what it holds', async () => {
    const whole = await document()
    for (const [, name] of JSON.stringify(whole).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g))
      expect(Object.keys(whole.components.schemas ?? {})).toContain(name)
  })
})

describe('every route of the tables', () => {
  for (const { methods, path, bodyType = 'application/json' } of ROUTES) {
    for (const method of methods) {
      it(`${method} ${path} is served, with a key only`, async () => {
        const { createEndpoint, ask, request } = await setup()
        await createEndpoint()
        const address = path.replace(':endpointId', 'e').replaceAll(/:\w+/g, 'nope')
        const asked = method === 'GET' ? {} : { body: {}, headers: { 'content-type': bodyType } }
        // Some answer with a file.
        const answer = await (await request(method, address, asked)).text()
        expect(answer).not.toMatch(/"code":"(ROUTE_NOT_FOUND|METHOD_NOT_ALLOWED|INTERNAL)"/)
        expect((await ask(method, address, { ...asked, key: null })).body.code).toBe('UNAUTHORIZED')
      })
    }
  }
})
