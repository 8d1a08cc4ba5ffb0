import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { setup } from '../support/core.ts'

const RUN = { method: 'POST', path: '/v2/e/run', body: { input: {} } }

// Safety row 18: what a page of somebody else, or a program without the key, can send.
const HOSTS = [
  'evil.example',
  'evil.example:8790',
  '127.0.0.1',
  '127.0.0.1:8791',
  '127.0.0.1.evil.example:8790',
  'localhost',
  'localhost.:8790',
  '0.0.0.0:8790',
  '[::1]:8790',
  '127.0.0.1:8790@evil.example',
  '2130706433:8790',
  '',
]
// No address can be made of these, so they are sent over a real connection.
const NO_ADDRESS = [
  ...['a b', 'a/b', 'a?b', 'x@127.0.0.1', '[::1', '[::g]', '%31', 'a:99999', 'a:b', 'localhost:', '<x>', 'é'],
  ...['99999999999999999999', '0x7f.1:80', '[0::1]:8790'],
]
const ORIGINS = [
  'https://evil.example',
  'http://127.0.0.1:8791',
  'https://127.0.0.1:8790',
  'http://localhost',
  'http://localhost:8790.evil.example',
  'http://evil.example/http://127.0.0.1:8790',
  'null',
  'file://',
  '',
]
const SITES = ['cross-site', 'same-site', 'x']
const TYPES = [
  'text/plain',
  'text/plain;charset=UTF-8',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonx',
  'text/json',
  'application/octet-stream',
]

const FORMS: readonly [string, Record<string, string>, string][] = [
  ...HOSTS.map((host) => [`Host ${host || '(empty)'}`, { host }, 'FORBIDDEN_HOST'] as const),
  ...ORIGINS.map((origin) => [`Origin ${origin || '(empty)'}`, { origin }, 'FORBIDDEN_ORIGIN'] as const),
  ...SITES.map((site) => [`Sec-Fetch-Site ${site}`, { 'sec-fetch-site': site }, 'FORBIDDEN_ORIGIN'] as const),
  ...TYPES.map((type) => [`Content-Type ${type}`, { 'content-type': type }, 'UNSUPPORTED_MEDIA_TYPE'] as const),
  ['no key', { authorization: '' }, 'UNAUTHORIZED'],
  ['a wrong key', { authorization: 'Bearer wrong' }, 'UNAUTHORIZED'],
].map(([what, headers, code]) => [what, headers, code] as [string, Record<string, string>, string])

describe('a foreign request', () => {
  for (const [what, headers, code] of FORMS) {
    it(`with ${what} is refused and changes nothing`, async () => {
      const { createEndpoint, ask, storage } = await setup()
      await createEndpoint()
      const { body } = await ask(RUN.method, RUN.path, { body: RUN.body, headers })
      expect(body.code).toBe(code)
      expect(storage().jobs.newestSeq()).toBe(0)
    })
  }

  for (const [what, headers, code] of FORMS) {
    it(`to the state manager with ${what} is refused`, async () => {
      const { ask } = await setup()
      const { body } = await ask('POST', '/graphql', { body: { query: '{ apps { name } }' }, headers })
      expect(body).toMatchObject({ code })
    })
  }

  it('to the state manager by an address alone is refused: any page can make a browser send it', async () => {
    const { ask } = await setup()
    const headers = { origin: 'https://evil.example' }
    expect((await ask('GET', '/graphql?query={apps{name}}')).body.code).toBe('METHOD_NOT_ALLOWED')
    expect((await ask('GET', '/graphql?query={apps{name}}', { headers })).body.code).toBe('FORBIDDEN_ORIGIN')
  })

  it('with bytes is refused everywhere but where an artifact is sent, and there from other pages', async () => {
    const { createEndpoint, ask, storage } = await setup()
    await createEndpoint()
    const bytes = { 'content-type': 'application/octet-stream' }
    const code = async (method: string, path: string, headers: Record<string, string> = {}) =>
      (await ask(method, path, { body: 'code', headers: { ...bytes, ...headers } })).body.code
    const artifact = 'a'.repeat(64)
    const upload = `/api/artifacts/${artifact}?offset=0&total=9`
    for (const [method, path] of [
      ['POST', '/api/endpoints'],
      ['PATCH', '/api/settings'],
      ['POST', upload],
      ['DELETE', upload],
      ['PUT', '/api/artifacts'],
      ['PUT', `${upload.replace('?', '/x?')}`],
      ['PUT', '/v2/e/run'],
    ] as const)
      expect(await code(method, path)).toBe('UNSUPPORTED_MEDIA_TYPE')
    expect(await code('PUT', upload, { origin: 'https://evil.example' })).toBe('FORBIDDEN_ORIGIN')
    expect(await code('PUT', upload, { 'sec-fetch-site': 'cross-site' })).toBe('FORBIDDEN_ORIGIN')
    expect(await code('PUT', upload, { host: 'evil.example' })).toBe('FORBIDDEN_HOST')
    expect(await code('PUT', upload, { authorization: '' })).toBe('UNAUTHORIZED')
    expect(await storage().artifacts.status(artifact)).toEqual({ state: 'missing', received: 0 })
    expect(await code('PUT', upload)).toBeUndefined()
  })

  it('that asks whether it may send an artifact gets no leave', async () => {
    const { request } = await setup()
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'PUT' }
    for (const path of [`/api/artifacts/${'a'.repeat(64)}`, '/graphql']) {
      const answer = await request('OPTIONS', path, { key: null, headers })
      expect(answer.status).toBe(403)
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })

  for (const path of ['/', '/events', '/openapi.json', '/api/endpoints', '/v2/e/health', '/nothing']) {
    it(`to ${path} from another host or page is refused`, async () => {
      const { ask } = await setup()
      expect((await ask('GET', path, { headers: { host: 'evil.example' } })).body.code).toBe('FORBIDDEN_HOST')
      expect((await ask('GET', path, { headers: { origin: 'https://evil.example' } })).body.code).toBe(
        'FORBIDDEN_ORIGIN',
      )
    })
  }

  it('with a Host that no address can be made of is refused everywhere as any other foreign one', async () => {
    const { listen, accountKey } = await setup()
    const url = await listen('users')
    const authorization = `Bearer ${accountKey()}`
    for (const path of ['/', '/events', '/openapi.json', '/api/endpoints', '/v1/endpoints', '/v2/e/health', '/nothing'])
      for (const host of NO_ADDRESS) {
        const [answer] = (await once(get(url + path, { headers: { host, authorization } }), 'response')) as [
          IncomingMessage,
        ]
        expect({ path, host, ...((await json(answer)) as object) }).toMatchObject({
          path,
          host,
          code: 'FORBIDDEN_HOST',
        })
      }
  })

  it('never gets a header that lets a page read the answer', async () => {
    const { request } = await setup()
    for (const [method, headers] of [
      ['GET', { origin: 'https://evil.example' }],
      ['OPTIONS', { origin: 'https://evil.example', 'access-control-request-method': 'POST' }],
      ['GET', { origin: 'http://127.0.0.1:8790' }],
    ] as const) {
      const answer = await request(method, '/api/endpoints', { headers })
      const names = [...answer.headers.keys()].filter((name) => name.startsWith('access-control'))
      expect(names).toEqual([])
    }
  })
})

describe('an own request', () => {
  for (const headers of [
    { host: 'localhost:8790' },
    { host: 'LOCALHOST:8790' },
    { origin: 'http://127.0.0.1:8790' },
    { origin: 'http://localhost:8790' },
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
    { 'content-type': 'application/json; charset=utf-8' },
    { 'content-type': 'Application/JSON' },
  ]) {
    it(`with ${JSON.stringify(headers)} is answered`, async () => {
      const { createEndpoint, ask } = await setup()
      await createEndpoint()
      expect(
        (await ask(RUN.method, RUN.path, { body: RUN.body, headers: { ...headers } as Record<string, string> })).status,
      ).toBe(200)
    })
  }

  it('without a Content-Type is answered where there is no body, refused where there is one', async () => {
    const { createEndpoint, ask } = await setup()
    await createEndpoint()
    expect((await ask('POST', '/v2/e/purge-queue')).status).toBe(200)
    const answer = await ask('POST', '/v2/e/run', { headers: { 'content-length': '12' } })
    expect(answer.body).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE', status: 415 })
  })

  it('for the page at the root needs no key, and the page can do nothing', async () => {
    const { request } = await setup()
    const answer = await request('GET', '/', { key: null })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await answer.text()).not.toMatch(/<script|<form|dk_/)
  })
})
