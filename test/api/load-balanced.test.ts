import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createWorkerStreams } from '../../src-main/app/http/streams.ts'
import { freePort } from '../../src-main/http/server/listen.ts'
import { SERVICE_URL, setup as setupService } from '../support/core.ts'
import { settle } from '../support/fake-clock.ts'
import { openProxy, openWorker, readyWorker, silentWorker } from '../support/proxied.ts'
import { until } from '../support/served-service.ts'
import { send } from '../support/web-client.ts'

const HOST = 'web.localhost:8790'
const AS_ON_THE_PLATFORM = {
  ...{ code: 'NO_WORKER', status: 400, title: 'Bad Request' },
  detail: 'timed out waiting for worker',
}

type Options = { readonly answer?: RequestListener; readonly ping?: () => number; readonly settings?: object }

async function setup({ answer = (_incoming, response) => response.end('well'), ping, settings }: Options = {}) {
  const service = await setupService()
  const port = await openWorker(answer, ping)
  const key = await service.createEndpoint('web', { loadBalanced: { port }, ...settings })
  const { send } = await openProxy(service)
  return { ...service, key, send, ready: () => readyWorker(service) }
}

const hold: RequestListener = () => undefined

type Asked = Awaited<ReturnType<typeof setup>>
const waitsFor = (service: Asked, count: number) =>
  until(() => expect(service.service().balancer.counts('web')).toMatchObject({ waiting: count }))

const PAUSES = { workersMin: 0, idleTimeoutMs: 1000, container: { image: 'x', keepPausedMs: 600_000 } }

/** Waits until the only worker has answered a request and is paused; returns what reads it. */
async function pausedWorker(service: Asked) {
  const first = service.send('/lb/web/x')
  await waitsFor(service, 1)
  await until(async () => {
    await service.clock.advance(50)
    expect(service.service().balancer.counts('web').waiting).toBe(0)
  })
  await first
  const worker = () => service.service().registry.ofEndpoint('web')[0]
  await until(async () => {
    await service.clock.advance(100)
    expect(worker()?.state).toBe('paused')
  })
  return worker
}

/** Opens a server on loopback and returns its port. */
async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

describe('a load-balanced endpoint', () => {
  it('scales by the number of requests by default', async () => {
    const service = await setup()
    expect((await service.get('/api/endpoints/web')).scaler).toEqual({ type: 'REQUEST_COUNT', value: 4 })
    await service.createEndpoint('other', { loadBalanced: {}, scaler: { type: 'QUEUE_DELAY', value: 1 } })
    expect(await service.get('/api/endpoints/other')).toMatchObject({
      scaler: { type: 'QUEUE_DELAY', value: 1 },
      loadBalanced: { port: 80 },
    })
  })

  it('reuses a connection to a worker, also for requests that must not be sent twice', async () => {
    const connections = new Set<IncomingMessage['socket']>()
    const service = await setup({
      answer: (incoming, response) => {
        connections.add(incoming.socket)
        incoming.resume().once('end', () => response.end('well'))
      },
    })
    await service.ready()
    for (const body of ['a', 'b', 'c']) await service.send('/lb/web/x', { method: 'POST', body })
    expect(connections.size).toBe(1)
  })

  it('sends no request to a worker whose engine is away, until the engine is back', async () => {
    const service = await setup({ settings: { workersMin: 1, workersMax: 1 } })
    await service.ready()
    service.fleet().setAway(true)
    const waiting = service.send('/lb/web/x')
    await waitsFor(service, 1)
    service.fleet().setAway(false)
    await service.clock.advance(1000)
    expect((await waiting).status).toBe(200)
  })

  it('takes no handler, which would wait for jobs', async () => {
    const service = await setup()
    const body = { name: 'x', handler: '/x.py', loadBalanced: {} }
    expect((await service.ask('POST', '/api/endpoints', { body })).body).toMatchObject({
      code: 'BAD_FIELD',
      error: expect.stringMatching(/load-balanced endpoint needs a command or an image/),
    })
  })

  it('has no operations of the job API but health, and says where to go', async () => {
    const service = await setup()
    for (const [method, path] of [
      ['POST', 'run'],
      ['POST', 'runsync'],
      ['GET', 'status/x'],
      ['POST', 'purge-queue'],
      ['GET', 'requests'],
      ['POST', 'openai/v1/models'],
    ] as const) {
      const asked = method === 'POST' ? { body: { input: {} } } : {}
      expect((await service.ask(method, `/v2/web/${path}`, asked)).body).toMatchObject({
        code: 'NOT_QUEUE_BASED',
        status: 400,
        detail: expect.stringContaining(`${SERVICE_URL}/lb/web/ or http://${HOST}/`),
      })
    }
    expect(await service.get('/v2/web/health')).toHaveProperty('workers')
  })

  it('gives its requests to a worker that answers /ping with 200, and only then', async () => {
    let status = 204
    const service = await setup({ ping: () => status })
    const answer = service.send('/lb/web/x')
    await waitsFor(service, 1)
    await service.clock.advance(500)
    expect(await service.get('/v2/web/health')).toMatchObject({ jobs: { inQueue: 1 }, workers: { initializing: 1 } })
    status = 200
    await until(async () => {
      await service.clock.advance(50)
      expect(service.service().balancer.counts('web').waiting).toBe(0)
    })
    expect(await answer).toMatchObject({ status: 200, text: 'well' })
  })
})

it('its health is asked at the path and the port that its environment names', async () => {
  const service = await setupService()
  const health = await openWorker((_incoming, response) => response.writeHead(404).end(), undefined, '/health')
  const port = await openWorker(
    (_incoming, response) => response.end('well'),
    () => 404,
  )
  const env = { HEALTH_CHECK_PATH: '/health', PORT_HEALTH: String(health) }
  await service.createEndpoint('web', { loadBalanced: { port }, env })
  const { send } = await openProxy(service)
  await readyWorker(service)
  expect(await send('/lb/web/x')).toMatchObject({ status: 200, text: 'well' })
})

it('requests to it are counted by one route for all endpoints, with the status of the worker or of a refusal', async () => {
  const service = await setup({ answer: (_incoming, response) => response.writeHead(418).end() })
  await service.ready()
  await service.send('/lb/web/x')
  await service.send('/lb/web/y', { headers: { authorization: 'Bearer wrong' } })
  const counted = () =>
    service
      .service()
      .requestCounts.all()
      .filter(({ route }) => route.startsWith('/lb/'))
  const route = { route: '/lb/:endpointId/*', method: 'GET', count: 1 }
  await until(() =>
    expect(counted()).toEqual([
      { ...route, status: 418 },
      { ...route, status: 401 },
    ]),
  )
})

describe('the fleet of a load-balanced endpoint', () => {
  it('grows by the number of open requests', async () => {
    const settings = { workersMin: 1, workersMax: 5, scaler: { type: 'REQUEST_COUNT', value: 2 } }
    const service = await setup({ answer: hold, settings })
    await service.ready()
    const leave = new AbortController()
    for (let n = 0; n < 5; n++) service.send('/lb/web/x', { signal: leave.signal }).catch(() => undefined)
    await until(async () => {
      await service.clock.advance(50)
      expect(service.service().balancer.counts('web')).toEqual({ waiting: 0, open: 5 })
    })
    const loads = service.service().registry.ofEndpoint('web')
    expect(loads.map(({ openRequests }) => openRequests).sort()).toEqual([1, 2, 2])
    leave.abort()
  })

  it('scales by the wait of the oldest request if configured', async () => {
    const settings = { workersMin: 1, workersMax: 2, scaler: { type: 'QUEUE_DELAY', value: 3 } }
    const service = await setup({ answer: hold, settings })
    await service.ready()
    const leave = new AbortController()
    for (let n = 0; n < 2; n++) service.send('/lb/web/x', { signal: leave.signal }).catch(() => undefined)
    await waitsFor(service, 1)
    await service.clock.advance(2900)
    expect(service.fleet().started.length).toBe(1)
    expect((await service.get('/api/endpoints/web')).waitingReason).toMatch(/when a job has waited 3 s/)
    await service.clock.advance(200)
    expect(service.fleet().started.length).toBe(2)
    // Its /ping goes over a real connection, and that it is ready is noticed a moment later.
    await until(async () => {
      await service.clock.advance(50)
      expect(service.service().balancer.counts('web').waiting).toBe(0)
    })
    leave.abort()
  })

  it('sleeps where it may, is asked nothing meanwhile, and wakes for a request', async () => {
    let pings = 0
    const ping = () => {
      pings += 1
      return 200
    }
    const service = await setup({ ping, settings: PAUSES })
    const worker = await pausedWorker(service)
    const before = pings
    await service.clock.advance(20_000)
    expect({ pings, state: worker()?.state }).toEqual({ pings: before, state: 'paused' })
    const second = service.send('/lb/web/x')
    await waitsFor(service, 1)
    await service.clock.advance(50)
    expect(await second).toMatchObject({ status: 200, text: 'well' })
    expect(service.fleet().started.length).toBe(1)
  })

  it('takes more than its number where no further worker may come', async () => {
    const service = await setup({ answer: hold, settings: { workersMax: 1 } })
    await service.ready()
    const leave = new AbortController()
    for (let n = 0; n < 9; n++) service.send('/lb/web/x', { signal: leave.signal }).catch(() => undefined)
    await until(() => expect(service.service().balancer.counts('web')).toEqual({ waiting: 0, open: 9 }))
    leave.abort()
  })
})

describe('a request that asks for a worker', () => {
  const headers = (affinity: string) => ({ headers: { 'X-Runpod-Worker-Id': affinity } })

  it('waits five minutes while that worker is busy, without holding up other requests', async () => {
    const settings = { workersMin: 2, workersMax: 3, scaler: { type: 'REQUEST_COUNT', value: 1 } }
    const service = await setup({ answer: hold, settings })
    await readyWorker(service, 'web', 2)
    const [{ id } = { id: '' }] = service.service().registry.ofEndpoint('web')
    const leave = new AbortController()
    const held = (affinity: string) =>
      service.send('/lb/web/x', { ...headers(affinity), signal: leave.signal }).catch(() => undefined)
    const open = () =>
      service
        .service()
        .registry.ofEndpoint('web')
        .map(({ openRequests }) => openRequests)
    held(id)
    await until(() => expect(open()).toEqual([1, 0]))
    const strict = service.send('/lb/web/x', headers(`strict ${id}`))
    held(id)
    await until(() => expect(open()).toEqual([1, 1]))
    await waitsFor(service, 1)
    expect((await service.get('/api/endpoints/web')).waitingReason).toMatch(/^Each request asks for a specific worker/)
    await service.clock.advance(5 * 60_000)
    // No other worker would help.
    expect(service.fleet().started.length).toBe(2)
    expect((await strict).json()).toEqual({
      ...AS_ON_THE_PLATFORM,
      error: `No worker of endpoint web can take the request: Worker ${id}, which it asks for, did not become free. It waited 300 s.`,
    })
    leave.abort()
  })

  it('is answered as soon as that worker is free, before requests that came later', async () => {
    const answers: ServerResponse[] = []
    const settings = { workersMax: 1, scaler: { type: 'REQUEST_COUNT', value: 1 } }
    const service = await setup({ answer: (_incoming, response) => answers.push(response), settings })
    await service.ready()
    const [{ id } = { id: '' }] = service.service().registry.ofEndpoint('web')
    const [first, second, third] = [id, `strict ${id}`, `strict-resume ${id}`].map((affinity) =>
      service.send('/lb/web/x', headers(affinity)),
    )
    for (const [n, answer] of [first, second, third].entries()) {
      await until(() => expect(answers.length).toBe(n + 1))
      answers[n]?.end(String(n))
      expect(await answer).toMatchObject({ status: 200, text: String(n), headers: { 'x-runpod-worker-id': id } })
    }
  })

  it('is answered before later requests for any worker, which may exceed its capacity otherwise', async () => {
    const answers: { readonly url: string | undefined; readonly response: ServerResponse }[] = []
    const settings = { workersMax: 1, scaler: { type: 'REQUEST_COUNT', value: 1 } }
    const answer: RequestListener = ({ url }, response) => answers.push({ url, response })
    const service = await setup({ answer, settings })
    await service.ready()
    const [{ id } = { id: '' }] = service.service().registry.ofEndpoint('web')
    const first = service.send('/lb/web/first')
    await until(() => expect(answers.length).toBe(1))
    const strict = service.send('/lb/web/strict', headers(`strict ${id}`))
    await waitsFor(service, 1)
    const later = service.send('/lb/web/later')
    await waitsFor(service, 2)
    answers[0]?.response.end()
    await until(() => expect(answers.map(({ url }) => url)).toEqual(['/first', '/strict', '/later']))
    for (const { response } of answers.slice(1)) response.end()
    for (const { status } of await Promise.all([first, strict, later])) expect(status).toBe(200)
  })

  it('wakes a paused worker with strict-resume, and fails with strict', async () => {
    const service = await setup({ settings: PAUSES })
    const worker = await pausedWorker(service)
    const id = worker()?.id
    const refused = await service.send('/lb/web/x', headers(`strict ${id}`))
    expect([refused.status, refused.json()]).toMatchObject([
      404,
      { detail: 'affinity_worker_gone', error: /strict-resume/ },
    ])
    const woken = service.send('/lb/web/x', headers(`strict-resume ${id}`))
    await until(async () => {
      await service.clock.advance(50)
      expect(worker()?.state).not.toBe('paused')
    })
    expect(await woken).toMatchObject({ status: 200, headers: { 'x-runpod-worker-id': id } })
    expect(service.fleet().started.length).toBe(1)
  })

  it('fails if the worker ends while it waits, and never gets a worker of another endpoint', async () => {
    const scaler = { type: 'REQUEST_COUNT', value: 1 }
    const service = await setup({ answer: hold, settings: { workersMax: 1, scaler } })
    await service.ready()
    const [{ id } = { id: '' }] = service.service().registry.ofEndpoint('web')
    const leave = new AbortController()
    service.send('/lb/web/x', { signal: leave.signal }).catch(() => undefined)
    await until(() => expect(service.service().balancer.counts('web').open).toBe(1))
    const waiting = service.send('/lb/web/x', headers(`strict ${id}`))
    await waitsFor(service, 1)
    service.fleet().end(id, { signal: 'SIGKILL' })
    await service.clock.until(() => service.service().registry.get(id) === undefined, 10_000)
    await service.clock.advance(1000)
    expect((await waiting).json()).toMatchObject({ code: 'AFFINITY_WORKER_GONE', status: 404 })
    leave.abort()

    await service.createEndpoint('other', { loadBalanced: { port: await openWorker(hold) } })
    await readyWorker(service, 'other')
    const [ofOther] = service.service().registry.ofEndpoint('other')
    expect((await service.send('/lb/web/x', headers(`strict ${ofOther?.id}`))).status).toBe(404)
  })
})

describe('the gate', () => {
  it('takes the account key and the key of the endpoint in both forms, and no other', async () => {
    const service = await setup()
    await service.ready()
    const other = await service.createEndpoint('other')
    const status = async (authorization: string | undefined) =>
      (await service.send('/lb/web/x', { key: null, headers: authorization === undefined ? {} : { authorization } }))
        .status
    for (const key of [service.key, service.accountKey()])
      for (const form of [key, `Bearer ${key}`, `bearer ${key}`]) expect(await status(form)).toBe(200)
    for (const form of [undefined, other, 'x', `Basic ${btoa(`u:${service.key}`)}`])
      expect(await status(form)).toBe(401)
  })

  for (const [name, path, headers, code] of [
    ['a foreign host', '/lb/web/x', { host: 'evil.example:8790' }, 'FORBIDDEN_HOST'],
    ['an endpoint under a foreign host', '/x', { host: 'web.localhost.evil.example' }, undefined],
    ['an endpoint under another port', '/x', { host: 'web.localhost:1' }, 'FORBIDDEN_HOST'],
    ['a name below that of an endpoint', '/x', { host: 'a.web.localhost:8790' }, undefined],
    ['a foreign page', '/lb/web/x', { origin: 'http://evil.example' }, 'FORBIDDEN_ORIGIN'],
    ['the page of another endpoint', '/x', { host: HOST, origin: 'http://other.localhost:8790' }, 'FORBIDDEN_ORIGIN'],
    ['the page of an endpoint under /lb', '/lb/web/x', { origin: `http://${HOST}` }, 'FORBIDDEN_ORIGIN'],
    ['a page of the service on a host of its own', '/x', { host: HOST, origin: SERVICE_URL }, 'FORBIDDEN_ORIGIN'],
    ['a page that hides its origin', '/x', { host: HOST, origin: 'null' }, 'FORBIDDEN_ORIGIN'],
    ['a foreign page that only loads', '/lb/web/x', { 'sec-fetch-site': 'cross-site' }, 'FORBIDDEN_ORIGIN'],
    ['an unknown endpoint', '/lb/nope/x', {}, 'ENDPOINT_NOT_FOUND'],
    ['the host of an unknown endpoint', '/x', { host: 'nope.localhost:8790' }, 'ENDPOINT_NOT_FOUND'],
  ] as const) {
    it(`refuses ${name}`, async () => {
      const service = await setup()
      await service.ready()
      const answer = await service.send(path, { headers })
      // Without a code of its own the request is not one for the proxy, and the service refuses it.
      expect(answer.status === 404 && answer.text === '' ? undefined : answer.json().code).toBe(code)
    })
  }

  it('does not reveal endpoint names without a key', async () => {
    const service = await setup()
    for (const path of ['/lb/web/x', '/lb/nope/x'])
      expect((await service.send(path, { key: null })).json()).toMatchObject({ code: 'UNAUTHORIZED' })
    const hosts = [HOST, 'nope.localhost:8790'].map((host) => service.send('/x', { key: null, headers: { host } }))
    for (const answer of await Promise.all(hosts)) expect(answer.json()).toMatchObject({ code: 'UNAUTHORIZED' })
  })

  it('lets pages of an endpoint call that endpoint, and no page ask for more', async () => {
    const service = await setup()
    await service.ready()
    const own = { host: HOST, origin: `http://${HOST}`, 'sec-fetch-site': 'same-origin' }
    expect((await service.send('/x', { headers: own })).status).toBe(200)
    const preflight = { 'access-control-request-method': 'POST', origin: 'http://evil.example' }
    for (const headers of [preflight, { ...preflight, host: HOST }]) {
      const answer = await service.send('/lb/web/x', { method: 'OPTIONS', headers, key: null })
      expect(answer.status).toBe(403)
      expect(Object.keys(answer.headers).join()).not.toMatch(/access-control/)
    }
  })

  it('sends jobs of queue-based endpoints to their own address', async () => {
    const service = await setup()
    await service.createEndpoint('queue')
    for (const [path, headers] of [
      ['/lb/queue/run', {}],
      ['/run', { host: 'queue.localhost:8790' }],
    ] as const)
      expect((await service.send(path, { method: 'POST', headers })).json()).toMatchObject({
        code: 'NOT_LOAD_BALANCED',
        status: 400,
        error: expect.stringContaining(`${SERVICE_URL}/v2/queue/run`),
      })
  })
})

it('a redirect to the address of the worker leads to the address that its client asked', async () => {
  const service = await setup({
    answer: (incoming, response) => {
      response.setHeader('set-cookie', ['a=1; Path=/', 'b=2; Path=/app; HttpOnly'])
      response.setHeader('content-location', '/here')
      const { host } = incoming.headers
      const own = `http://127.0.0.1:${incoming.socket.localPort}`
      const location = { '/path': '/login', '/host': `http://${host}/login`, '/own': `${own}/login` }[
        incoming.url ?? ''
      ]
      response.writeHead(302, { location: location ?? 'https://example.com/login' }).end()
    },
  })
  await service.ready()
  const led = async (path: string, host: string) => (await service.send(path, { headers: { host } })).headers
  for (const path of ['/path', '/host', '/own']) {
    const below = await led(`/lb/web${path}`, '127.0.0.1:8790')
    const origin = path === '/path' ? '' : SERVICE_URL
    expect(below).toMatchObject({
      location: `${origin}/lb/web/login`,
      'content-location': '/lb/web/here',
      'set-cookie': ['a=1; Path=/lb/web', 'b=2; Path=/lb/web/app; HttpOnly'],
    })
    expect(await led(path, HOST)).toMatchObject({
      location: path === '/path' ? '/login' : `http://${HOST}/login`,
      'content-location': '/here',
      'set-cookie': ['a=1; Path=/', 'b=2; Path=/app; HttpOnly'],
    })
  }
  expect(await led('/lb/web/away', '127.0.0.1:8790')).toMatchObject({ location: 'https://example.com/login' })
})

it('an endpoint that reuses the id of a deleted one gets none of its requests, even if they end later', async () => {
  let finish = () => {}
  const service = await setup({
    answer: (incoming, response) => {
      if (incoming.url === '/slow') finish = () => void response.end('late')
      else response.end('well')
    },
  })
  await service.ready()
  expect(await service.send('/lb/web/x')).toMatchObject({ status: 200 })
  const slow = service.send('/lb/web/slow').catch(() => undefined)
  await until(() => expect(service.service().balancer.counts('web').open).toBe(1))
  // The clock stands still: no request of the first endpoint is written yet.
  expect(await service.ask('DELETE', '/api/endpoints/web')).toMatchObject({ status: 200 })
  await service.createEndpoint('web', { loadBalanced: { port: 1 } })
  finish()
  await slow
  await until(() =>
    expect(service.service().requestCounts.all()).toContainEqual(
      expect.objectContaining({ route: '/lb/:endpointId/*', count: 2 }),
    ),
  )
  await service.clock.advance(11_000)
  expect(await service.get('/api/endpoints/web/requests')).toEqual({ requests: [] })
  expect((await service.get('/v2/web/health')).jobs).toMatchObject({ completed: 0, failed: 0 })
  const metrics = await service.get(`/api/endpoints/web/metrics?from=0&to=${service.clock.wall()}`)
  expect(metrics.totals).toMatchObject({ submitted: 0, completed: 0 })
  expect(metrics.lastActiveAt).toBeUndefined()
})

describe('a request that no worker takes', () => {
  it('waits two minutes, then gets the reason why no worker is ready', async () => {
    const service = await setup({ ping: () => 204 })
    const answer = service.send('/lb/web/x')
    await waitsFor(service, 1)
    await service.clock.advance(119_000)
    expect(service.service().balancer.counts('web').waiting).toBe(1)
    await service.clock.advance(1000)
    const refused = await answer
    expect(refused.status).toBe(400)
    expect(refused.json()).toEqual({
      ...AS_ON_THE_PLATFORM,
      error: expect.stringMatching(/A worker is starting, .* It waited 120 s\.$/),
    })
  })

  it.each([false, true])('gets 503 if the endpoint is set so, an upgrade too: %s', async (isUpgrade) => {
    const service = await setup({ ping: () => 204, settings: { noWorkerIs503: true } })
    await service.post('/api/endpoints/web/pause')
    const headers = isUpgrade ? { connection: 'upgrade', upgrade: 'websocket' } : {}
    const refused = await service.send('/lb/web/x', { headers })
    expect(refused.status).toBe(503)
    const { error, ...rest } = refused.json()
    expect(error).toMatch(/is paused/)
    expect(rest).toEqual({ code: 'NO_WORKER', status: 503, title: 'Service Unavailable', detail: error })
  })

  it('gets 502 if nothing listens on the port of the worker that starts', async () => {
    const service = await setupService()
    await service.createEndpoint('web', { loadBalanced: { port: await freePort(() => false) } })
    const { send } = await openProxy(service)
    const answer = send('/lb/web/x')
    await until(() => expect(service.service().balancer.counts('web').waiting).toBe(1))
    await silentWorker(service)
    await service.clock.advance(120_000)
    expect((await answer).json()).toMatchObject({
      ...{ code: 'NOTHING_LISTENS', status: 502, title: 'Bad Gateway' },
      error: expect.stringMatching(/nothing listens on its port \d+ yet.* It waited 120 s\./),
    })
  })

  it('gets 502 if its worker is healthy on its other port alone', async () => {
    const healthPort = await openWorker((_incoming, response) => response.end())
    const service = await setup({ settings: { loadBalanced: { port: await freePort(() => false), healthPort } } })
    await service.ready()
    const answer = service.send('/lb/web/x')
    await waitsFor(service, 1)
    await service.clock.advance(120_000)
    expect((await answer).json()).toMatchObject({
      ...{ code: 'WORKER_FAILED', status: 502 },
      error: expect.stringMatching(/it refuses connections/),
    })
  })

  it('learns why as soon as waiting cannot help: the workers fail again and again at their start', async () => {
    const waiting = await setupService()
    waiting.fleet().failStarts = 'no such program'
    await waiting.createEndpoint('web', { loadBalanced: {}, workersMin: 0 })
    const { send } = await openProxy(waiting)
    const answer = send('/lb/web/x')
    await until(() => expect(waiting.service().balancer.counts('web').waiting).toBe(1))
    await waiting.clock.until(() => waiting.service().balancer.counts('web').waiting === 0, 10_000)
    expect((await answer).json()).toMatchObject({
      ...AS_ON_THE_PLATFORM,
      error: expect.stringMatching(
        /No worker runs: worker failed 3 times .* no such program; next try in 4 s\. It waited 3 s\.$/,
      ),
    })
    expect(await waiting.get('/v2/web/health')).toMatchObject({ workers: { unhealthy: 1 } })
  })

  it('is refused at once while the endpoint is paused, or may have no worker', async () => {
    const service = await setup({ ping: () => 204 })
    const answer = service.send('/lb/web/x')
    await waitsFor(service, 1)
    await service.post('/api/endpoints/web/pause')
    await service.clock.advance(50)
    for (const refused of [await answer, await service.send('/lb/web/x')])
      expect(refused.json()).toMatchObject({
        ...AS_ON_THE_PLATFORM,
        error: expect.stringMatching(/is paused/),
      })
    await service.post('/api/endpoints/web/resume')
    await service.ask('PATCH', '/api/endpoints/web', { body: { workersMin: 0, workersMax: 0 } })
    expect((await service.send('/lb/web/x')).json()).toMatchObject({ code: 'ENDPOINT_PAUSED', status: 409 })
  })

  it('is forgotten when its client leaves', async () => {
    const service = await setup({ ping: () => 204 })
    const leave = new AbortController()
    const answer = service.send('/lb/web/x', { signal: leave.signal })
    await waitsFor(service, 1)
    leave.abort()
    await expect(answer).rejects.toThrow(/aborted/)
    await waitsFor(service, 0)
  })

  it.each([
    ['a request', {}],
    ['an upgrade', { connection: 'upgrade', upgrade: 'websocket' }],
  ])('reaches no worker if its client disconnects while the service starts: %s', async (_kind, headers) => {
    const reached: IncomingMessage[] = []
    const service = await setup({ answer: (incoming) => reached.push(incoming) })
    await service.ready()
    const started = Promise.withResolvers<void>()
    const came = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    const proxy = createWorkerStreams(service.service(), started.promise)
    const server = createServer((incoming, response) => {
      response.once('close', left.resolve)
      proxy.request(incoming, response)
      came.resolve()
    })
    server.on('upgrade', (incoming, socket, head) => {
      socket.once('close', left.resolve)
      proxy.upgrade(incoming, socket, head)
      came.resolve()
    })
    const url = `http://127.0.0.1:${await portOf(server)}`
    const leave = new AbortController()
    const target = { url, key: service.accountKey() }
    const sending = { headers: { host: '127.0.0.1:8790', ...headers }, signal: leave.signal }
    const answer = send(target, '/lb/web/x', sending).catch(() => undefined)
    await came.promise
    leave.abort()
    await Promise.all([answer, left.promise])
    started.resolve()
    const { requests } = await service.clock.until(async () => {
      const page = await service.get('/api/endpoints/web/requests')
      return page.requests.length > 0 && page
    })
    expect(requests).toEqual([
      expect.objectContaining({ path: '/x', error: expect.stringMatching(/^the client closed/) }),
    ])
    expect(requests[0]).not.toHaveProperty('workerId')
    expect({ reached, ...service.service().balancer.counts('web') }).toEqual({ reached: [], waiting: 0, open: 0 })
  })
})

it('bytes that a client sends while its WebSocket waits for a worker arrive', async () => {
  const worker = createServer((_incoming, response) => response.writeHead(ping).end())
  let ping = 204
  worker.on('upgrade', (_incoming, socket, head) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    socket.write(head)
    socket.pipe(socket)
  })
  const service = await setup({ settings: { loadBalanced: { port: await portOf(worker) } } })
  const proxy = createServer().on('upgrade', createWorkerStreams(service.service(), Promise.resolve()).upgrade)
  const client = connect(await portOf(proxy), '127.0.0.1')
  onTestFinished(() => void client.destroy())
  const lines = ['GET /lb/web/x HTTP/1.1', 'Host: 127.0.0.1:8790', `Authorization: Bearer ${service.accountKey()}`]
  client.write([...lines, 'Connection: Upgrade', 'Upgrade: websocket', '', ''].join('\r\n'))
  await waitsFor(service, 1)
  client.write('early,')
  ping = 200
  await until(async () => {
    await service.clock.advance(50)
    expect(service.service().balancer.counts('web')).toEqual({ waiting: 0, open: 1 })
  })
  client.write('late')
  let text = ''
  for await (const piece of client) {
    text += piece
    if (text.endsWith('late')) break
  }
  expect(text).toMatch(/^HTTP\/1\.1 101 .*\r\n\r\nearly,late$/s)
})

describe('a worker that does not answer', () => {
  const reached: IncomingMessage[] = []

  it('is given up after five and a half minutes', async () => {
    const service = await setup({ answer: (incoming) => reached.push(incoming) })
    await service.ready()
    const answer = service.send('/lb/web/slow', { method: 'POST', body: 'x' })
    await until(() => expect(reached.some(({ url }) => url === '/slow')).toBe(true))
    await service.clock.advance(329_000)
    await settle()
    expect(service.service().balancer.counts('web').open).toBe(1)
    await service.clock.advance(1000)
    expect((await answer).json()).toMatchObject({
      code: 'REQUEST_TOO_SLOW',
      status: 504,
      error: expect.stringMatching(/within 330 s/),
    })
    await until(() => expect(service.service().balancer.counts('web').open).toBe(0))
  })

  it.each(['GET', 'POST'])('a %s whose worker changes the protocol unasked fails at once', async (method) => {
    const service = await setup({
      answer: (incoming) => incoming.socket.write('HTTP/1.1 101 Other\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    })
    await service.ready()
    const answer = await service.send('/lb/web/x', { method })
    expect(answer.json()).toMatchObject({ code: 'WORKER_FAILED', status: 502 })
    expect(service.service().balancer.counts('web').open).toBe(0)
  })

  it('is given up earlier where the endpoint says so', async () => {
    const service = await setup({
      answer: (incoming) => reached.push(incoming),
      settings: { executionTimeoutMs: 5000 },
    })
    await service.ready()
    const answer = service.send('/lb/web/sooner')
    await until(() => expect(reached.some(({ url }) => url === '/sooner')).toBe(true))
    await service.clock.advance(5000)
    expect((await answer).json()).toMatchObject({ code: 'REQUEST_TOO_SLOW', status: 504 })
  })
})
