import { QueryClient } from '@tanstack/react-query'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createApiClient } from '../../src-renderer/api-client/client.ts'
import type { EventSourceLike } from '../../src-renderer/api-client/event-stream.ts'
import { loadCode } from '../../src-renderer/browser/load-code.ts'
import { liveQueries } from '../../src-renderer/live/live-queries.ts'
import { jobMoved, NOW, testPlatform } from './support.tsx'

function setup(answer: () => Response | Promise<Response>, platform = testPlatform()) {
  const requests: { readonly address: string; readonly init: RequestInit }[] = []
  const streams: { readonly address: string; readonly target: EventTarget; closed: boolean }[] = []
  const client = createApiClient({
    platform,
    async fetch(address, init = {}) {
      requests.push({ address: String(address), init })
      return answer()
    },
    connect(address) {
      const target = new EventTarget()
      const stream = { address, target, closed: false }
      streams.push(stream)
      const close = () => {
        stream.closed = true
      }
      return { addEventListener: target.addEventListener.bind(target), close } as EventSourceLike
    },
  })
  return { client, requests, platform, streams }
}

const handle = { id: 'j', status: 'IN_QUEUE' }

describe('a call', () => {
  test('goes where the route table says, with its places and query', async () => {
    const { client, requests } = setup(() => Response.json({ lines: [] }))
    await client.call('endpointLogs', { path: { endpointId: 'a/b' }, query: { tail: 5, after: undefined } })
    expect(requests).toMatchObject([{ address: '/api/endpoints/a%2Fb/logs?tail=5', init: { method: 'GET' } }])
    expect(requests[0]?.init).not.toHaveProperty('body')
  })

  test('sends JSON, and gives what the contract says', async () => {
    const { client, requests } = setup(() => Response.json({ ...handle, unknown: 1 }))
    const body = { input: { n: 1 } }
    expect(await client.call('run', { path: { endpointId: 'e' }, body })).toEqual(handle)
    expect(requests).toMatchObject([
      {
        address: '/v2/e/run',
        init: { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"input":{"n":1}}' },
      },
    ])
  })

  test('keeps every digit of a long number', async () => {
    const text = '{"id":"j","status":"COMPLETED","output":{"seed":18446744073709551615}}'
    const { client } = setup(() => new Response(text))
    const { output } = await client.call('status', { path: { endpointId: 'e', jobId: 'j' } })
    expect(output).toEqual({ seed: 18446744073709551615n })
  })

  test.each([
    [
      'the service’s own words where it refuses',
      () => Response.json({ error: 'No job.', code: 'JOB_NOT_FOUND', status: 404 }, { status: 404 }),
      { code: 'JOB_NOT_FOUND', status: 404, message: 'No job.' },
    ],
    [
      'what to do where no answer comes',
      () => Promise.reject(new TypeError('fetch failed')),
      { code: 'NOT_REACHABLE', status: 0, message: expect.stringContaining('drydock start') },
    ],
    [
      'that an answer is none of a Drydock service',
      () => new Response('<html>', { status: 200 }),
      { code: 'NOT_DRYDOCK', status: 200 },
    ],
    [
      'that an error is none of a Drydock service',
      () => new Response('<html>', { status: 502 }),
      { code: 'NOT_DRYDOCK', status: 502 },
    ],
  ])('fails with %s', async (_what, answer, error) => {
    const { client } = setup(answer)
    await expect(client.call('run', { path: { endpointId: 'e' }, body: { input: {} } })).rejects.toMatchObject(error)
  })

  test('that is given up fails as given up, and not as a service that does not answer', async () => {
    const { client } = setup(() => Promise.reject(new DOMException('gone', 'AbortError')))
    await expect(client.call('info', { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('a request that gets no answer', () => {
  const lost = () => Promise.reject(new TypeError('fetch failed'))
  const cut = () => new Response(new ReadableStream({ pull: (body) => body.error(new TypeError('network error')) }))
  const whole = () => Response.json({ requests: [] })

  function answering(...answers: readonly (() => Response | Promise<Response>)[]) {
    const left = [...answers]
    return setup(() => (left.shift() ?? lost)())
  }

  test('is sent again if it reads, also if the answer breaks off', async () => {
    const { client, platform, requests } = answering(lost, cut, lost, whole)
    const read = client.call('jobList')
    await platform.advance(2000)
    expect(await read).toEqual({ requests: [] })
    expect(requests).toHaveLength(4)
  })

  test('fails if the service stays away', async () => {
    const { client, platform, requests } = answering()
    const read = expect(client.call('jobList')).rejects.toMatchObject({ code: 'NOT_REACHABLE' })
    await platform.advance(2000)
    await read
    expect(requests).toHaveLength(4)
  })

  test('is sent once if it changes something', async () => {
    const { client, requests } = answering(lost, whole)
    const run = client.call('run', { path: { endpointId: 'e' }, body: { input: {} } })
    await expect(run).rejects.toMatchObject({ code: 'NOT_REACHABLE' })
    expect(requests).toHaveLength(1)
  })
})

describe('code of the pages that gets lost', () => {
  test('is loaded again, and fails if it stays away', async () => {
    let loads = 0
    const load = async () => {
      loads += 1
      if (loads < 3) throw new TypeError('Failed to fetch dynamically imported module')
      return 'code'
    }
    expect(await loadCode(load, [0, 0])).toBe('code')
    loads = 0
    await expect(loadCode(load, [0])).rejects.toThrow('Failed to fetch')
  })
})

describe('a list of jobs that is shown', () => {
  const list = { requests: [{ id: 'a', endpointId: 'e', status: 'IN_QUEUE', createdAt: NOW }] }
  const key = ['jobs', { endpoint: 'e' }]

  function follow() {
    const platform = testPlatform()
    const queries = new QueryClient()
    queries.setQueryData(key, list)
    return { platform, queries, hear: liveQueries(queries, platform).onEvents }
  }

  test('changes in place at once, and is read again within half a second', async () => {
    const { platform, queries, hear } = follow()
    hear([jobMoved(1, 'a', { from: 'IN_QUEUE', to: 'IN_PROGRESS' })])
    expect(queries.getQueryData(key)).toMatchObject({ requests: [{ id: 'a', status: 'IN_PROGRESS' }] })
    expect(queries.getQueryState(key)?.isInvalidated).toBe(false)
    await platform.advance(500)
    expect(queries.getQueryState(key)?.isInvalidated).toBe(true)
  })

  test('stays the same object where none of its jobs moved', () => {
    const { queries, hear } = follow()
    const before = queries.getQueryData(key)
    hear([jobMoved(1, 'b', {})])
    expect(queries.getQueryData(key)).toBe(before)
  })

  test('is left alone by events of workers and endpoints', async () => {
    const { platform, queries, hear } = follow()
    hear([{ id: 1, event: { type: 'endpoint', at: NOW, endpointId: 'e', event: 'paused' } }])
    await platform.advance(1000)
    expect(queries.getQueryState(key)?.isInvalidated).toBe(false)
  })
})

describe('a stream of items', () => {
  const schema = z.object({ id: z.number() })
  const noAnswer = () => Promise.reject(new Error('not asked'))

  type Wanted = { readonly isLast?: (item: { id: number }) => boolean; readonly isCached?: boolean }

  function follow(wanted: Wanted = {}, platform = testPlatform()) {
    const parts = setup(noAnswer, platform)
    const batches: number[][] = []
    const end = parts.client.follow({
      operation: 'workerLogs',
      path: { workerId: 'w' },
      query: (last: z.infer<typeof schema> | undefined) => ({ after: last?.id }),
      event: 'line',
      schema,
      onItems: (items) => void batches.push(items.map(({ id }) => id)),
      ...wanted,
    })
    const send = (stream: number, id: number) =>
      parts.streams[stream]?.target.dispatchEvent(new MessageEvent('line', { data: JSON.stringify({ id }) }))
    const breakOff = (stream: number) => parts.streams[stream]?.target.dispatchEvent(new Event('error'))
    return { ...parts, batches, end, send, breakOff }
  }

  test('comes in batches, and continues after the last item where it broke off', async () => {
    const { streams, batches, send, breakOff, platform } = follow()
    send(0, 1)
    send(0, 2)
    expect(batches).toEqual([])
    await platform.advance(50)
    expect(batches).toEqual([[1, 2]])
    send(0, 3)
    breakOff(0)
    expect(batches).toEqual([[1, 2], [3]])
    await platform.advance(1000)
    expect(streams.map(({ address }) => address)).toEqual([
      '/api/workers/w/logs?follow=true',
      '/api/workers/w/logs?after=3&follow=true',
    ])
  })

  test('is not opened again after its last item', async () => {
    const { streams, send, breakOff, platform } = follow({ isLast: ({ id }) => id === 9 })
    send(0, 9)
    breakOff(0)
    await platform.advance(10_000)
    expect(streams.length).toBe(1)
  })

  test('gives its connection back while nobody sees the page, and continues where it was', async () => {
    const { streams, batches, send, platform, end } = follow()
    send(0, 1)
    platform.show(false)
    await platform.advance(9000)
    platform.show(true)
    await platform.advance(10_000)
    expect(streams.map(({ closed }) => closed)).toEqual([false])
    platform.show(false)
    send(0, 2)
    await platform.advance(10_000)
    expect([batches, streams.map(({ closed }) => closed)]).toEqual([[[1], [2]], [true]])
    platform.show(true)
    expect(streams.map(({ address, closed }) => [address, closed])).toEqual([
      ['/api/workers/w/logs?follow=true', true],
      ['/api/workers/w/logs?after=2&follow=true', false],
    ])
    end()
    platform.show(false)
    platform.show(true)
    expect(streams.length).toBe(2)
  })

  test('that is to be kept stays while nobody sees the page', async () => {
    const { streams, platform } = follow({ isCached: true })
    platform.show(false)
    await platform.advance(60_000)
    platform.show(true)
    expect(streams.map(({ closed }) => closed)).toEqual([false])
  })

  test('of a page that was opened behind another one begins when it is seen', () => {
    const platform = testPlatform()
    platform.show(false)
    const { streams } = follow({}, platform)
    expect(streams).toEqual([])
    platform.show(true)
    expect(streams.length).toBe(1)
  })

  test('tells nothing once it is ended', async () => {
    const { streams, batches, send, end, platform } = follow()
    send(0, 1)
    end()
    await platform.advance(10_000)
    expect(batches).toEqual([])
    expect(streams.map(({ closed }) => closed)).toEqual([true])
  })
})
