import { describe, expect, it } from 'vitest'
import { setup as setupService } from '../support/core.ts'
import { openProxy, openWorker, readyWorker } from '../support/proxied.ts'

const PAGE = 'http://localhost:5173'
const OTHER = 'http://localhost:5174'
const FOREIGN = { origin: PAGE, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }
const PREFLIGHT = {
  ...FOREIGN,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type',
}

/** A service whose endpoint `e` lets one page in. */
async function setup(settings: object = { cors: [PAGE] }) {
  const service = await setupService()
  const key = await service.createEndpoint('e', settings)
  const preflight = (path: string, headers: object = PREFLIGHT) =>
    service.request('OPTIONS', path, { key: null, headers: { ...headers } })
  const allows = (response: Response) =>
    [...response.headers].filter(([name]) => name.startsWith('access-control-allow')).sort()
  return { ...service, key, preflight, allows }
}

describe('a page that an endpoint lets in', () => {
  it('is told so before it asks, with its own origin and nothing of cookies', async () => {
    const { preflight, allows } = await setup()
    const response = await preflight('/v2/e/run', { ...PREFLIGHT, 'access-control-request-private-network': 'true' })
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect(allows(response)).toEqual([
      ['access-control-allow-headers', 'authorization,content-type'],
      ['access-control-allow-methods', 'POST'],
      ['access-control-allow-origin', PAGE],
      ['access-control-allow-private-network', 'true'],
    ])
    expect(response.headers.get('vary')).toMatch(/Origin/)
  })

  it('calls the endpoint with its key and reads the answer, errors too', async () => {
    const { request, key, allows, get, worker } = await setup()
    const run = await request('POST', '/v2/e/run', { key, body: { input: { a: 1 } }, headers: FOREIGN })
    expect([run.status, allows(run)]).toEqual([200, [['access-control-allow-origin', PAGE]]])
    const { id } = (await run.json()) as { id: string }
    expect((await (await worker()).take())?.id).toBe(id)
    const missing = await request('GET', '/v2/e/status/nope', { key, headers: FOREIGN })
    expect([missing.status, allows(missing)]).toEqual([404, [['access-control-allow-origin', PAGE]]])
    const stream = await request('GET', `/v2/e/stream/${id}?wait=0`, { key, headers: FOREIGN })
    expect(stream.headers.get('access-control-expose-headers')).toMatch(/Job-Status/)
    expect(await get('/v2/e/health')).toHaveProperty('jobs')
  })

  it('gets nothing without a key, and not with the session of our pages either', async () => {
    const { request, signIn } = await setup()
    const { headers: session } = await signIn()
    for (const headers of [FOREIGN, { ...session, ...FOREIGN }]) {
      const response = await request('GET', '/v2/e/health', { key: null, headers })
      expect(response.status).toBe(401)
    }
    // The session itself is good.
    expect((await request('GET', '/v2/e/health', { key: null, headers: session })).status).toBe(200)
  })

  it('posts nothing but JSON, and under our own host alone', async () => {
    const { ask, key } = await setup()
    const send = (headers: object) =>
      ask('POST', '/v2/e/run', { key, body: '{"input":{}}', headers: { ...FOREIGN, ...headers } })
    expect((await send({ 'content-type': 'text/plain' })).status).toBe(415)
    expect((await send({ host: 'evil.example:8790' })).body.code).toBe('FORBIDDEN_HOST')
  })

  it('is refused everywhere else: the management API, other endpoints, events, the state manager', async () => {
    const service = await setup()
    await service.createEndpoint('other')
    for (const [method, path] of [
      ['GET', '/api/endpoints'],
      ['PATCH', '/api/endpoints/e'],
      ['GET', '/api/info'],
      ['GET', '/events'],
      ['GET', '/openapi.json'],
      ['POST', '/graphql'],
      ['GET', '/v2/other/health'],
      ['GET', '/v2/nope/health'],
      ['POST', '/v2/flash/runsync'],
    ] as const) {
      const body = method === 'GET' ? {} : { body: {} }
      const refused = await service.request(method, path, { headers: FOREIGN, ...body })
      expect([path, refused.status, service.allows(refused)]).toEqual([path, 403, []])
      const asked = await service.preflight(path)
      expect([path, asked.status, service.allows(asked)]).toEqual([path, 403, []])
    }
  })
})

it.each([
  [OTHER],
  ['http://localhost:5173.evil.example'],
  ['http://LOCALHOST:5173'],
  ['https://localhost:5173'],
  ['http://localhost'],
  ['null'],
])('a page of %s is not let in', async (origin) => {
  const { preflight, request, allows } = await setup()
  const headers = { ...PREFLIGHT, origin }
  for (const refused of [
    await preflight('/v2/e/run', headers),
    await request('GET', '/v2/e/health', { headers: { ...FOREIGN, origin } }),
  ])
    expect([refused.status, allows(refused)]).toEqual([403, []])
})

it('no page is let in by default, and none any more when the setting is taken away', async () => {
  const { preflight, ask } = await setup({})
  expect((await preflight('/v2/e/run')).status).toBe(403)
  await ask('PATCH', '/api/endpoints/e', { body: { cors: [PAGE] } })
  expect((await preflight('/v2/e/run')).status).toBe(204)
  await ask('PATCH', '/api/endpoints/e', { body: { cors: null } })
  expect((await preflight('/v2/e/run')).status).toBe(403)
})

it.each([
  ['http://localhost:5173', true],
  ['https://app.example.com', true],
  ['http://[::1]:3000', true],
  ['chrome-extension://abcdef', true],
  ['*', false],
  ['null', false],
  ['http://*.example.com', false],
  ['http://localhost:5173/', false],
  ['http://localhost:80', false],
  ['https://a.example:443', false],
  ['localhost:5173', false],
  ['file://', false],
  ['http://user@a.example', false],
])('the setting takes %s: %s', async (origin, taken) => {
  const { ask } = await setup({})
  const { status, body } = await ask('PATCH', '/api/endpoints/e', { body: { cors: [origin] } })
  expect(status).toBe(taken ? 200 : 400)
  if (!taken) expect(body.error).toMatch(/cors.*must be exact origins, like/)
})

describe('a page that a load-balanced endpoint lets in', () => {
  const own = 'web.localhost:8790'

  async function web() {
    const service = await setupService()
    const port = await openWorker((_incoming, response) => {
      response.setHeader('Access-Control-Allow-Origin', '*')
      response.setHeader('Access-Control-Allow-Credentials', 'true')
      response.setHeader('Access-Control-Expose-Headers', 'X-Mine')
      response.end('well')
    })
    const key = await service.createEndpoint('web', { loadBalanced: { port }, cors: [PAGE] })
    await readyWorker(service)
    const { send } = await openProxy(service)
    return { service, key, send }
  }

  it('asks before, calls, and reads errors, at both addresses; what the worker says of origins does not count', async () => {
    const { send, key } = await web()
    for (const [path, host] of [
      ['/lb/web/x', '127.0.0.1:8790'],
      ['/x', own],
    ] as const) {
      const asked = await send(path, { method: 'OPTIONS', key: null, headers: { ...PREFLIGHT, host } })
      expect([asked.status, asked.headers['access-control-allow-origin']]).toEqual([204, PAGE])
      const answer = await send(path, { key, headers: { ...FOREIGN, host } })
      expect([answer.status, answer.text]).toEqual([200, 'well'])
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': PAGE,
        'access-control-expose-headers': 'X-Mine',
        vary: 'Origin',
      })
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
      const refused = await send(path, { key: null, headers: { ...FOREIGN, host } })
      expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, PAGE])
    }
  })

  it('is refused under a foreign host, and pages of other origins everywhere', async () => {
    const { send, key } = await web()
    for (const headers of [
      { ...PREFLIGHT, origin: OTHER },
      { ...PREFLIGHT, host: 'web.localhost:1' },
    ]) {
      const asked = await send(headers.origin === OTHER ? '/lb/web/x' : '/x', { method: 'OPTIONS', key, headers })
      expect([asked.status, asked.headers['access-control-allow-methods']]).toEqual([403, undefined])
    }
  })
})
