import { describe, expect, it } from 'vitest'
import {
  type ForwardFacts,
  headersForClient,
  headersForWorker,
} from '../../../../src-main/features/load-balancing/rules/forward-headers.ts'

const facts = (more: Partial<ForwardFacts> = {}): ForwardFacts => ({
  clientAddress: '127.0.0.1',
  host: 'h:1',
  prefix: '',
  method: 'GET',
  body: 'none',
  upgrade: undefined,
  ...more,
})
const OWN = ['Host', 'h:1', 'X-Forwarded-For', '127.0.0.1', 'X-Forwarded-Host', 'h:1', 'X-Forwarded-Proto', 'http']

describe('the headers for a worker', () => {
  it('keep spelling, order and repetition of what passes', () => {
    const raw = ['X-b', '1', 'A', '2', 'x-B', '3']
    expect(headersForWorker(raw, facts())).toEqual([...raw, ...OWN])
  })

  it('hold no session of the web pages, whatever else the cookies are', () => {
    const raw = ['Cookie', 'a=1; drydock_session_8790=secret; b="2"', 'cookie', 'drydock_session_80=secret']
    expect(headersForWorker(raw, facts())).toEqual(['Cookie', 'a=1; b="2"', ...OWN])
    expect(headersForWorker(['Cookie', 'a=1;b=2'], facts())).toEqual(['Cookie', 'a=1;b=2', ...OWN])
  })

  it('hold one Host, the one that was checked', () => {
    expect(headersForWorker(['Host', 'h:1', 'host', 'evil'], facts())).toEqual(OWN)
  })

  it('announce a body as it comes, and none where none comes', () => {
    expect(headersForWorker([], facts({ method: 'POST' }))).toEqual([...OWN, 'Content-Length', '0'])
    expect(headersForWorker(['content-length', '0'], facts({ method: 'POST' }))).toEqual([
      'content-length',
      '0',
      ...OWN,
    ])
    expect(headersForWorker(['Transfer-Encoding', 'gzip, chunked'], facts({ method: 'GET', body: 'chunked' }))).toEqual(
      [...OWN, 'Transfer-Encoding', 'chunked'],
    )
  })

  it('announce trailers only of a body in chunks', () => {
    expect(headersForWorker(['Trailer', 'X'], facts())).toEqual(OWN)
    expect(headersForWorker(['Trailer', 'X'], facts({ body: 'chunked' }))).toContain('Trailer')
  })

  it('ask for an upgrade where the request does', () => {
    const raw = ['Connection', 'Upgrade', 'Upgrade', 'websocket', 'Sec-WebSocket-Key', 'k']
    expect(headersForWorker(raw, facts({ upgrade: 'websocket' }))).toEqual([
      'Sec-WebSocket-Key',
      'k',
      ...OWN,
      'Connection',
      'Upgrade',
      'Upgrade',
      'websocket',
    ])
  })

  it('show a worker that takes code who sends it, and never what a client says of that', () => {
    const raw = ['x-drydock-worker', 'forged']
    expect(headersForWorker(raw, facts())).toEqual(OWN)
    expect(headersForWorker(raw, facts({ proof: 'hash' }))).toEqual([...OWN, 'X-Drydock-Worker', 'hash'])
  })
})

const OF_WORKER = ['X-Runpod-Worker-Id', 'w1']

describe('the headers for a client', () => {
  it('are those of the worker without those of its connection', () => {
    const raw = ['Set-Cookie', 'a', 'Connection', 'X-Mine, close', 'X-Mine', '1', 'Set-Cookie', 'b', 'Trailer', 'T']
    const client = { prefix: '', target: '/', host: 'web.localhost:8790', workerPort: 20_001 }
    expect(headersForClient(raw, { trailers: false, client, workerId: 'w1' })).toEqual([
      ...['Set-Cookie', 'a', 'Set-Cookie', 'b'],
      ...OF_WORKER,
    ])
    expect(headersForClient(raw, { trailers: true, client, workerId: 'w1' })).toEqual([
      ...['Set-Cookie', 'a', 'Set-Cookie', 'b', 'Trailer', 'T'],
      ...OF_WORKER,
    ])
  })

  it('pass where their names are those of members of every object', () => {
    const raw = ['Constructor', 'a', '__proto__', 'b', 'toString', 'c']
    const client = { prefix: '', target: '/', host: 'web.localhost:8790', workerPort: 20_001 }
    expect(headersForClient(raw, { trailers: false, client, workerId: 'w1' })).toEqual([...raw, ...OF_WORKER])
  })

  it('name the worker that answered, whatever it says itself', () => {
    const client = { prefix: '', target: '/', host: 'web.localhost:8790', workerPort: 20_001 }
    const raw = ['x-runpod-worker-id', 'forged', 'X-Mine', '1']
    const ofPage = headersForClient(raw, { trailers: false, client, workerId: 'w1', page: 'https://app.example' })
    expect(headersForClient(raw, { trailers: false, client, workerId: 'w1' })).toEqual(['X-Mine', '1', ...OF_WORKER])
    expect(ofPage.slice(-2)).toEqual(OF_WORKER)
    expect(ofPage[ofPage.indexOf('access-control-expose-headers') + 1]).toContain('X-Runpod-Worker-Id')
  })
})
