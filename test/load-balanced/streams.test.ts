import { once } from 'node:events'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { until } from '../support/served-service.ts'
import { loggedRequest, open, send, sharedWeb, targetOf } from '../support/web-client.ts'

const MIB = 1024 * 1024
const PIECE = Buffer.alloc(64 * 1024, 'x')

const shared = sharedWeb()

/** The service and its endpoint `web`, which all tests share. */
async function setup() {
  const service = await shared()
  return { service, target: targetOf(service) }
}

/** A body of so many bytes; `made` is how much of it was asked for. */
function bodyOf(bytes: number): { readonly stream: Readable; readonly made: () => number } {
  let made = 0
  const stream = new Readable({
    read() {
      const piece = PIECE.subarray(0, Math.min(PIECE.length, bytes - made))
      made += piece.length
      this.push(piece.length === 0 ? null : piece)
    },
  })
  return { stream, made: () => made }
}

test('an upload of 29 MB flows no faster than the worker reads, and arrives whole', async () => {
  const { service, target } = await setup()
  const { stream, made } = bodyOf(29 * MIB)
  const gate = service.gate('read')
  const answer = send(target, `/lb/web/slow-read?gate=${gate}`, { method: 'POST', body: stream })
  // The buffers of the sockets are full when nothing was read for many looks.
  let before = -1
  let still = 0
  await until(() => {
    still = made() > 0 && made() === before ? still + 1 : 0
    before = made()
    expect(still).toBeGreaterThan(30)
  })
  expect(made()).toBeLessThan(20 * MIB)
  service.openGate('read')
  expect((await answer).json()).toEqual({ size: 29 * MIB })
  expect(await loggedRequest(service, 'web', ({ path }) => path === '/slow-read')).toMatchObject({ bytesIn: 29 * MIB })
})

for (const [name, headers] of [
  ['that says its size', { 'content-length': String(31 * MIB) }],
  ['that comes in chunks', { 'transfer-encoding': 'chunked' }],
] as const) {
  test(`a body of 31 MB ${name} is refused with the limit named`, async () => {
    const { target } = await setup()
    await send(target, '/lb/web/echo')
    const { stream } = bodyOf(31 * MIB)
    const answer = await send(target, '/lb/web/echo', { method: 'POST', headers, body: stream })
    expect(answer.json()).toMatchObject({
      code: 'REQUEST_TOO_LARGE',
      status: 413,
      error: expect.stringMatching(/30 MiB/),
    })
    expect(answer.status).toBe(413)
  })
}

test('a body of exactly 30 MiB is taken, and one byte more is not', async () => {
  const { target } = await setup()
  const sized = async (bytes: number) => {
    const headers = { 'content-length': String(bytes) }
    return (await send(target, '/lb/web/echo', { method: 'PUT', headers, body: bodyOf(bytes).stream })).json()
  }
  expect(await sized(30 * MIB)).toMatchObject({ size: 30 * MIB })
  expect(await sized(30 * MIB + 1)).toMatchObject({ code: 'REQUEST_TOO_LARGE' })
})

test('server-sent events arrive one by one, as the worker writes them', async () => {
  const { service, target } = await setup()
  const answer = await open(target, `/lb/web/events?gate=${service.gate('event')}`)
  expect(answer.headers['content-type']).toBe('text/event-stream')
  answer.setEncoding('utf8')
  const ended = once(answer, 'end')
  for (const n of [0, 1, 2]) {
    service.openGate(`event-${n}`)
    const [piece] = await once(answer, 'data')
    expect(piece).toBe(`data: ${n}\n\n`)
  }
  await ended
})

test('a client that leaves frees its worker at once', async () => {
  const { service, target } = await setup()
  const leave = new AbortController()
  const answer = await open(target, `/lb/web/events?gate=${service.gate('left')}`, { signal: leave.signal })
  answer.on('error', () => undefined)
  expect(await service.get('/v2/web/health')).toMatchObject({ jobs: { inProgress: 1 }, workers: { running: 1 } })
  leave.abort()
  await until(async () =>
    expect(await service.get('/v2/web/health')).toMatchObject({ jobs: { inProgress: 0 }, workers: { idle: 1 } }),
  )
  const logged = await loggedRequest(service, 'web', ({ path, error }) => path === '/events' && error !== undefined)
  expect(logged.error).toMatch(/the client closed the connection/)
})

test('a WebSocket carries messages and closing codes both ways', async () => {
  const { service, target } = await setup()
  const url = `${target.url.replace('http', 'ws')}/lb/web/socket`
  const headers = { authorization: target.key }
  const message = async (socket: WebSocket) => ((await once(socket, 'message'))[0] as MessageEvent).data
  const large = 'ü'.repeat(20_000)

  const socket = new WebSocket(url, { headers })
  await once(socket, 'open')
  for (const text of ['hello', large]) {
    socket.send(text)
    expect(await message(socket)).toBe(text)
  }
  expect(await service.get('/v2/web/health')).toMatchObject({ jobs: { inProgress: 1 } })
  socket.close(4002, 'from here')
  const [closed] = (await once(socket, 'close')) as [CloseEvent]
  expect({ code: closed.code, reason: closed.reason }).toEqual({ code: 4002, reason: 'from here' })
  await until(async () => {
    const { lines } = await service.get('/api/endpoints/web/logs')
    expect(lines.map(({ line }: { line: string }) => line)).toContain('closed 4002 from here')
  })

  const other = new WebSocket(url, { headers })
  await once(other, 'open')
  other.send('close 4001 from there')
  const [ended] = (await once(other, 'close')) as [CloseEvent]
  expect({ code: ended.code, reason: ended.reason }).toEqual({ code: 4001, reason: 'from there' })
  expect(await loggedRequest(service, 'web', ({ status }) => status === 101)).toMatchObject({ path: '/socket' })
  await until(async () => expect(await service.get('/v2/web/health')).toMatchObject({ jobs: { inProgress: 0 } }))
})

test('a WebSocket without the key, or one that the worker does not want, is refused', async () => {
  const { service, target } = await setup()
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'eA==',
  }
  const refused = await send(target, '/lb/web/socket', { headers: upgrade, key: null })
  expect({ status: refused.status, code: refused.json().code }).toEqual({ status: 401, code: 'UNAUTHORIZED' })
  const unwanted = await send(target, '/lb/web/echo', { headers: upgrade })
  expect(unwanted.json().headers).toContainEqual(['Upgrade', 'websocket'])
  expect(unwanted.status).toBe(200)
  // Some clients always ask for another protocol, which is no reason to refuse them.
  const h2c = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'x' }
  const plain = await send(target, '/lb/web/echo', { headers: h2c })
  expect(plain.json().headers.map(([name]: [string]) => name.toLowerCase())).not.toContain('upgrade')
  expect((await service.ask('GET', '/v2/web/health')).status).toBe(200)
})
