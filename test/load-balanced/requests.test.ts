import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { HOSTILE_HEADS } from '../support/hostile-heads.ts'
import type { ServedService } from '../support/served-service.ts'
import { createWeb, loggedRequest, send, sharedWeb, targetOf } from '../support/web-client.ts'

const shared = sharedWeb()

/** The service and its endpoint `web`, which all tests share. */
async function setup() {
  const service = await shared()
  return { service, target: targetOf(service), port: new URL(service.url()).port }
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** Bytes as they are on a connection, up to its end. */
function sendRaw(service: ServedService, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(service.url()).port), '127.0.0.1')
    let answer = ''
    socket.on('data', (piece) => {
      answer += piece.toString('latin1')
    })
    socket.on('error', reject).on('close', () => resolve(answer))
    socket.write(text)
  })
}

test('every method, path, query and body comes to the worker as it was sent', async () => {
  const { target } = await setup()
  const withBody = ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'QUERY']
  for (const method of [...withBody, 'GET', 'OPTIONS', 'TRACE', 'PURGE']) {
    const body = withBody.includes(method) ? `body of ${method}` : ''
    const path = `/echo/a%2Fb//c?q=1&q=%20&empty=`
    const answer = await send(target, `/lb/web${path}`, { method, ...(body === '' ? {} : { body }) })
    expect(answer.json()).toMatchObject({ method, path, size: body.length, sha256: hashOf(body) })
    expect({ status: answer.status, type: answer.headers['content-type'] }).toEqual({
      status: 200,
      type: 'application/json',
    })
  }
  const head = await send(target, '/lb/web/echo', { method: 'HEAD' })
  expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' })
  expect(head.headers['x-method']).toBe('HEAD')
  expect(Number(head.headers['content-length'])).toBeGreaterThan(100)
})

test('both addresses lead to the worker, which learns under which one it was asked', async () => {
  const { service, target, port } = await setup()
  const host = `web.localhost:${port}`
  const forwarded = (answer: { json: () => { headers: [string, string][] } }) =>
    Object.fromEntries(answer.json().headers.filter(([name]) => /^(host|x-forwarded-.*)$/i.test(name)))
  expect(forwarded(await send(target, '/lb/web/echo'))).toEqual({
    Host: `127.0.0.1:${port}`,
    'X-Forwarded-For': '127.0.0.1',
    'X-Forwarded-Host': `127.0.0.1:${port}`,
    'X-Forwarded-Proto': 'http',
    'X-Forwarded-Prefix': '/lb/web',
  })
  expect(forwarded(await send(target, '/echo', { headers: { host } }))).toEqual({
    Host: host,
    'X-Forwarded-For': '127.0.0.1',
    'X-Forwarded-Host': host,
    'X-Forwarded-Proto': 'http',
  })
  for (const [asked, path] of [
    ['/lb/web', '/'],
    ['/lb/web/', '/'],
    ['/lb/web?a=1', '/?a=1'],
  ] as const)
    expect((await send(target, asked)).json()).toMatchObject({ path })
  // On a host of its own an endpoint has all paths, those of the service too.
  expect((await send(target, '/lb/other/echo', { headers: { host } })).status).toBe(404)
  expect((await send(target, '/api/info', { headers: { host } })).json()).toEqual({ error: 'no such route' })
  const { url, hostUrl } = await service.get('/api/endpoints/web')
  expect({ url, hostUrl }).toEqual({ url: `${target.url}/lb/web`, hostUrl: `http://${host}` })
})

test('headers of one connection, forged ones and our key stay behind; all others pass, repeated ones too', async () => {
  const { target } = await setup()
  const answer = await send(target, '/lb/web/echo', {
    headers: {
      connection: 'keep-alive, X-Hop',
      'x-hop': '1',
      te: 'trailers, deflate',
      'proxy-authorization': 'Basic x',
      'x-forwarded-for': '1.2.3.4',
      'x-forwarded-prefix': '/evil',
      'x-forwarded-anything': 'x',
      forwarded: 'for=1.2.3.4',
      'x-real-ip': '1.2.3.4',
      'x-own': ['1', '2'],
      cookie: 'a=1',
    },
  })
  const { headers } = answer.json() as { headers: [string, string][] }
  const names = headers.map(([name]) => name.toLowerCase())
  for (const gone of [
    'authorization',
    'x-hop',
    'proxy-authorization',
    'forwarded',
    'x-real-ip',
    'x-forwarded-anything',
  ])
    expect(names).not.toContain(gone)
  expect(headers).toContainEqual(['TE', 'trailers'])
  expect(headers).toContainEqual(['X-Forwarded-For', '127.0.0.1'])
  expect(headers).toContainEqual(['X-Forwarded-Prefix', '/lb/web'])
  expect(headers).toContainEqual(['cookie', 'a=1'])
  expect(headers.filter(([name]) => name === 'x-own').map(([, value]) => value)).toEqual(['1', '2'])

  const back = await send(target, '/lb/web/form?form=hop')
  expect(back.headers).toMatchObject({ 'x-other': '2' })
  for (const gone of ['x-mine', 'proxy-authenticate']) expect(back.headers).not.toHaveProperty(gone)
  expect(back.headers['keep-alive']).not.toBe('timeout=9')
})

test('a client cannot take the framing of its body away by naming it in Connection', async () => {
  const { target } = await setup()
  const headers = { connection: 'content-length, host', 'content-length': '3' }
  expect((await send(target, '/lb/web/echo', { method: 'POST', headers, body: 'abc' })).json()).toMatchObject({
    size: 3,
  })
})

test('answers of every form pass: without a body, with many cookies, with trailers, after hints', async () => {
  const { target } = await setup()
  const form = (name: string) => send(target, `/lb/web/form?form=${name}`)
  expect(await form('204')).toMatchObject({ status: 204, text: '', headers: { 'x-form': 'a' } })
  expect(await form('304')).toMatchObject({ status: 304, text: '', headers: { etag: '"x"' } })
  expect(await form('cookies')).toMatchObject({
    message: 'Fine',
    headers: { 'set-cookie': ['a=1', 'b=2; Path=/lb/web', 'c=3'] },
  })
  expect(await form('trailers')).toMatchObject({
    text: 'abc',
    trailers: { 'x-sum': '7' },
    headers: { trailer: 'X-Sum' },
  })
  expect(await form('hints')).toMatchObject({ text: 'ok', hints: ['</a.css>; rel=preload'] })
  expect((await form('no-http')).json()).toMatchObject({ code: 'WORKER_FAILED', status: 502 })
})

test('bodies in chunks keep their trailers, and 100 Continue is said when a worker is there', async () => {
  const { service, target } = await setup()
  const headers = { 'transfer-encoding': 'chunked', trailer: 'X-Sum' }
  const chunked = await send(target, '/lb/web/echo', {
    method: 'POST',
    headers,
    body: 'abc',
    trailers: { 'X-Sum': '9' },
  })
  expect(chunked.json()).toMatchObject({ size: 3, trailers: { 'X-Sum': '9' } })
  const head = `POST /lb/web/echo HTTP/1.1\r\nHost: ${new URL(target.url).host}\r\nAuthorization: ${target.key}\r\n`
  const raw = await sendRaw(service, `${head}Expect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc`)
  expect(raw).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
  expect(raw).toContain('"size": 3')
})

test('clients of HTTP/1.0 and several requests on one connection are answered', async () => {
  const { service, target } = await setup()
  const { host } = new URL(target.url)
  const key = `Authorization: Bearer ${target.key}\r\n`
  const old = await sendRaw(service, `GET /lb/web/form?form=trailers HTTP/1.0\r\nHost: ${host}\r\n${key}\r\n`)
  expect(old).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(old).toMatch(/\r\n\r\nabc$/)
  const one = `GET /lb/web/echo?n=1 HTTP/1.1\r\nHost: ${host}\r\n${key}\r\n`
  const two = `GET /lb/web/echo?n=2 HTTP/1.1\r\nHost: ${host}\r\n${key}Connection: close\r\n\r\n`
  expect((await sendRaw(service, one + two)).match(/echo\?n=\d/g)).toEqual(['echo?n=1', 'echo?n=2'])
})

test('two endpoints serve side by side, each its own workers', async () => {
  const { service, target } = await setup()
  await createWeb(service, 'other')
  const workers = async (id: string) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(target, `/lb/${id}/work?ms=1`)))
    return new Set(answers.map((answer) => answer.json().worker as string))
  }
  const [web, other] = await Promise.all([workers('web'), workers('other')])
  expect([web.size, other.size]).toEqual([1, 1])
  expect(web).not.toEqual(other)
})

test('the log of requests tells of each one how it went, and can be filtered and paged', async () => {
  const { service, target } = await setup()
  await createWeb(service, 'logged')
  await send(target, '/lb/logged/echo?key=dk_secret', { method: 'POST', body: 'abc' })
  await send(target, '/lb/logged/nothing')
  await send(target, '/lb/logged/form?form=no-http')
  const posted = await loggedRequest(service, 'logged', ({ method }) => method === 'POST')
  const [worker] = (await service.get('/api/workers?endpoint=logged')).workers
  expect(posted).toEqual({
    id: expect.any(Number),
    at: expect.any(Number),
    endpointId: 'logged',
    method: 'POST',
    path: '/echo',
    status: 200,
    workerId: worker.id,
    waitedMs: expect.any(Number),
    firstByteMs: expect.any(Number),
    durationMs: expect.any(Number),
    bytesIn: 3,
    bytesOut: expect.any(Number),
  })
  expect(posted.firstByteMs).toBeGreaterThanOrEqual(posted.waitedMs)
  const failed = await loggedRequest(service, 'logged', ({ status }) => status === 502)
  expect(failed.error).toMatch(/its response is not valid HTTP/)
  expect((await service.get('/v2/logged/health')).jobs).toMatchObject({
    completed: 2,
    failed: 1,
    inQueue: 0,
    inProgress: 0,
  })
  const page = async (query: string) => service.get(`/api/endpoints/logged/requests?${query}`)
  const paths = async (query: string) => (await page(query)).requests.map(({ path }: { path: string }) => path)
  expect(await paths('')).toEqual(['/form', '/nothing', '/echo'])
  expect(await paths('status=404')).toEqual(['/nothing'])
  expect(await paths('status=5xx')).toEqual(['/form'])
  const first = await page('limit=2')
  expect(first.requests.length).toBe(2)
  expect(await paths(`limit=2&cursor=${first.cursor}`)).toEqual(['/echo'])
  expect((await service.ask('GET', '/api/endpoints/logged/requests?status=9')).body).toMatchObject({
    code: 'BAD_FIELD',
  })
  expect(worker.jobsDone).toBeGreaterThan(1)
})

describe('a response that Node cannot write', () => {
  const WHY: Readonly<Record<keyof typeof HOSTILE_HEADS, RegExp>> = {
    'with ESC in its reason phrase': /control characters/,
    'with DEL in its reason phrase': /control characters/,
    'with a status below 100': /its status is 99/,
    'with a status of four digits': /is not valid HTTP/,
    'with a control character in a header': /is not valid HTTP/,
    'with a header whose name is not a token': /is not valid HTTP/,
    'with two Content-Length headers': /is not valid HTTP/,
    'that switches protocols unasked': /its status is 101/,
  }

  test.each(Object.entries(HOSTILE_HEADS) as [keyof typeof WHY, string][])(
    '%s returns 502 with the reason, and the service keeps running',
    async (kind, bytes) => {
      const { target, service } = await setup()
      const path = `/raw?base64=${encodeURIComponent(Buffer.from(bytes, 'latin1').toString('base64'))}`
      const answer = await send(target, `/lb/web${path}`)
      expect({ status: answer.status, message: answer.message }).toEqual({ status: 502, message: 'Bad Gateway' })
      expect(answer.json().detail).toMatch(WHY[kind])
      const upgraded = await sendRaw(
        service,
        `GET /lb/web${path} HTTP/1.1\r\nHost: ${new URL(target.url).host}\r\nAuthorization: ${target.key}\r\n` +
          'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      )
      expect(upgraded).toMatch(bytes.startsWith('HTTP/1.1 101') ? /^HTTP\/1\.1 101 / : /^HTTP\/1\.1 502 Bad Gateway/)
      expect((await send(target, '/lb/web/echo')).status).toBe(200)
    },
  )
})

test.each(['204 No Content', '304 Not Modified'])('trailers announced by a %s response are dropped', async (status) => {
  const { target } = await setup()
  const bytes = `HTTP/1.1 ${status}\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n`
  const answer = await send(target, `/lb/web/raw?base64=${encodeURIComponent(btoa(bytes))}`)
  expect({ status: `${answer.status} ${answer.message}`, text: answer.text }).toEqual({ status, text: '' })
})
