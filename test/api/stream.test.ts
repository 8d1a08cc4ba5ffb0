import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { setup } from '../support/core.ts'
import { settle } from '../support/fake-clock.ts'
import { jobInState } from '../support/job-in-state.ts'
import { readEvents } from '../support/read-events.ts'

const read = (id: string, query = '') => `/v2/e/stream/${id}${query}`

describe('stream', () => {
  for (const method of ['GET', 'POST']) {
    it(`${method} gives what came since the last read, oldest first, as an array with the state in a header`, async () => {
      const { id, worker, ask } = await jobInState('IN_PROGRESS')
      await worker.chunk(id, { output: 'a', metrics: { n: 1 } })
      await worker.chunk(id, { output: { b: [2] } })
      const first = await ask(method, read(id))
      expect([first.body, first.headers.get('job-status')]).toEqual([
        [{ output: 'a', metrics: { n: 1 } }, { output: { b: [2] } }],
        'IN_PROGRESS',
      ])
      await worker.chunk(id, { output: null })
      await worker.done(id, { output: [] })
      const second = await ask(method, read(id))
      expect([second.body, second.headers.get('job-status')]).toEqual([[{ output: null }], 'COMPLETED'])
      const third = await ask(method, read(id))
      expect([third.body, third.headers.get('job-status')]).toEqual([[], 'COMPLETED'])
    })
  }

  it('gives more than 200 chunks in one read, and a final state only with the last of them', async () => {
    const { id, worker, ask } = await jobInState('IN_PROGRESS')
    for (let n = 0; n < 250; n++) await worker.chunk(id, { output: n })
    const large = Array.from({ length: 5 }, (_, n) => `${n}`.repeat(limit('chunkBytes') - 2))
    for (const output of large) await worker.chunk(id, { output })
    await worker.done(id, { output: [] })
    const got: unknown[] = []
    const states: (string | null)[] = []
    // As clients do that stop at the first final state.
    do {
      const { body, headers } = await ask('GET', read(id, '?format=object'))
      states.push(body.status)
      expect(headers.get('job-status')).toBe(body.status)
      got.push(...body.stream.map(({ output }: { output: unknown }) => output))
    } while (states.at(-1) === 'IN_PROGRESS')
    expect(states).toEqual(['IN_PROGRESS', 'COMPLETED'])
    expect(got).toEqual([...Array.from({ length: 250 }, (_, n) => n), ...large])
  })

  it('says of a replay whether the stream continues', async () => {
    const { id, worker, get } = await jobInState('IN_PROGRESS')
    for (const output of [1, 2, 3]) await worker.chunk(id, { output })
    expect(await get(`/api/jobs/${id}/chunks?limit=2`)).toEqual({ chunks: [{ output: 1 }, { output: 2 }], more: true })
    expect(await get(`/api/jobs/${id}/chunks?after=2&limit=1`)).toEqual({ chunks: [{ output: 3 }], more: false })
  })

  it('keeps every chunk for a replay, and the final output is an empty list without aggregation', async () => {
    const { id, worker, get, status } = await jobInState('IN_PROGRESS')
    await worker.chunk(id, { output: 1 })
    await worker.chunk(id, { output: 2 })
    await worker.done(id, { output: [] })
    expect(await get(read(id))).toEqual([{ output: 1 }, { output: 2 }])
    expect(await get(`/api/jobs/${id}/chunks`)).toEqual({ chunks: [{ output: 1 }, { output: 2 }], more: false })
    expect(await status(id)).toMatchObject({ status: 'COMPLETED', output: [] })
  })

  it('gives the object form to the public clients, to whom asks for it, and to all by a setting', async () => {
    const { id, worker, ask, service } = await jobInState('IN_PROGRESS')
    await worker.chunk(id, { output: 1 })
    const form = async (query: string, agent: string) => {
      const { body } = await ask('GET', read(id, `?wait=0${query}`), { headers: { 'user-agent': agent } })
      return Array.isArray(body) ? 'array' : Object.keys(body).join()
    }
    expect((await ask('GET', read(id, '?format=object'))).body).toEqual({
      status: 'IN_PROGRESS',
      stream: [{ output: 1 }],
    })
    expect(await form('', 'Mozilla')).toBe('array')
    expect(await form('', 'RunPod-SDK/1.0 (x)')).toBe('status,stream')
    expect(await form('', 'a RUNPOD b')).toBe('status,stream')
    expect(await form('&format=array', 'runpod')).toBe('array')
    await service().settings.update({ streamForm: 'object' })
    expect(await form('', 'Mozilla')).toBe('status,stream')
    expect(await form('&format=array', 'Mozilla')).toBe('array')
  })

  it('gives the object form to a program that queued a job there, and not to one that did not', async () => {
    const { createEndpoint, ask, worker } = await setup()
    const key = await createEndpoint()
    await createEndpoint('other')
    const send = async (agent: string, endpointId = 'e', more = {}) =>
      ask('POST', `/v2/${endpointId}/run`, { body: { input: {} }, headers: { 'user-agent': agent }, ...more })
    const form = async (agent: string, id: string, more = {}) => {
      const { body } = await ask('GET', read(id, '?wait=0'), { headers: { 'user-agent': agent }, ...more })
      return Array.isArray(body) ? 'array' : 'object'
    }
    const { id } = (await send('node')).body
    await send('curl/8.5.0')
    await send('axios/1.12.0', 'other')
    await (await worker()).take()
    const seen: string[] = []
    for (const agent of ['node', 'curl/8.5.0', 'axios/1.12.0', 'python-httpx/0.28.1']) seen.push(await form(agent, id))
    expect(seen).toEqual(['object', 'array', 'array', 'array'])
    // Another key is another client, be the program the same.
    expect(await form('node', id, { key })).toBe('array')
    await send('node', 'e', { key })
    expect(await form('node', id, { key })).toBe('object')
  })

  it('gives the form that the endpoint is set to', async () => {
    const { id, ask } = await jobInState('IN_PROGRESS')
    const form = async (agent: string) => {
      const { body } = await ask('GET', read(id, '?wait=0'), { headers: { 'user-agent': agent } })
      return Array.isArray(body) ? 'array' : 'object'
    }
    const set = (streamForm: string | null) => ask('PATCH', '/api/endpoints/e', { body: { streamForm } })
    expect((await set('object')).status).toBe(200)
    expect(await form('curl/8')).toBe('object')
    await set('array')
    expect(await form('runpod')).toBe('array')
    await set(null)
    expect([await form('curl/8'), await form('runpod')]).toEqual(['array', 'object'])
    expect((await set('text')).status).toBe(400)
  })

  it('gives the object form to a client that asks on after the end, so that it ends', async () => {
    const { id, worker, get } = await jobInState('IN_PROGRESS')
    await worker.chunk(id, { output: 1 })
    await worker.done(id, { output: [] })
    expect(await get(read(id))).toEqual([{ output: 1 }])
    expect(await get(read(id))).toEqual([])
    expect(await get(read(id))).toEqual({ status: 'COMPLETED', stream: [] })
  })

  it('hints once in the log when a client polls a running job for arrays', async () => {
    const { id, get, log } = await jobInState('IN_PROGRESS')
    const hints = () => log.filter(({ message }) => message.includes('?format=object'))
    await get(read(id, '?wait=0&format=array'))
    await get(read(id, '?wait=0&format=array'))
    await get(read(id, '?wait=0'))
    expect(hints()).toEqual([])
    for (let n = 0; n < 3; n++) await get(read(id, '?wait=0'))
    expect(hints()).toEqual([
      { level: 'info', message: expect.any(String), fields: { endpointId: 'e', jobId: id, userAgent: '' } },
    ])
  })

  for (const [query, holdMs] of [
    ['', 5000],
    ['?wait=0', 0],
    ['?wait=1', 1],
    ['?wait=300000', 300_000],
  ] as const) {
    it(`holds an empty read for ${holdMs} ms${query === '' ? ' by default' : ''}`, async () => {
      const { id, ask, clock, post } = await jobInState('IN_QUEUE', {})
      await post('/api/endpoints/e/pause')
      let answered = false
      const open = ask('GET', read(id, query)).then((answer) => {
        answered = true
        return answer
      })
      if (holdMs > 0) {
        await clock.advance(holdMs - 1)
        expect(answered).toBe(false)
        await clock.advance(1)
      }
      const { body, headers } = await open
      expect([body, headers.get('job-status')]).toEqual([[], 'IN_QUEUE'])
    })
  }

  it('answers a held read at once when a chunk comes, and when the job ends', async () => {
    const { id, worker, get } = await jobInState('IN_PROGRESS')
    const first = get(read(id))
    await worker.chunk(id, { output: 1 })
    expect(await first).toEqual([{ output: 1 }])
    const second = get(read(id))
    await settle()
    await worker.done(id, { output: [] })
    expect(await second).toEqual([])
  })

  it('moves the cursor only when the answer was written in full', async () => {
    const { id, worker, ask, get } = await jobInState('IN_PROGRESS')
    await worker.chunk(id, { output: 1 })
    const outgoing = Object.assign(new EventEmitter(), { destroyed: false, writableFinished: false })
    expect((await ask('GET', read(id), { bindings: { outgoing } })).body).toEqual([{ output: 1 }])
    outgoing.emit('close')
    expect(await get(read(id))).toEqual([{ output: 1 }])
    expect(await get(read(id, '?wait=0'))).toEqual([])
  })

  it('lets others read on when a reader left while it was held', async () => {
    const { id, worker, request, get } = await jobInState('IN_PROGRESS')
    const away = new AbortController()
    const outgoing = Object.assign(new EventEmitter(), { destroyed: false, writableFinished: false })
    const open = request('GET', read(id), { signal: away.signal, bindings: { outgoing } })
    await settle()
    outgoing.destroyed = true
    away.abort()
    await open
    await worker.chunk(id, { output: 1 })
    expect(await get(read(id))).toEqual([{ output: 1 }])
  })

  it('gives two readers at once every chunk once', async () => {
    const { id, worker, get } = await jobInState('IN_PROGRESS')
    const open = [get(read(id)), get(read(id))]
    await worker.chunk(id, { output: 1 })
    await worker.chunk(id, { output: 2 })
    await worker.done(id, { output: [] })
    expect((await Promise.all(open)).flat()).toEqual([{ output: 1 }, { output: 2 }])
  })

  for (const when of ['before', 'after']) {
    it(`does not skip chunks of the next attempt when a read of the lost one is done ${when} it begins`, async () => {
      const { createEndpoint, running, worker: next, ask, get, fleet } = await setup()
      await createEndpoint()
      const { jobId, worker } = await running()
      await worker.chunk(jobId, { output: 'old 1' })
      await worker.chunk(jobId, { output: 'old 2' })
      const outgoing = Object.assign(new EventEmitter(), { destroyed: false, writableFinished: true })
      await ask('GET', read(jobId), { bindings: { outgoing } })
      fleet().end(worker.id, { code: 1 })
      const second = await next('e', [worker])
      if (when === 'before') outgoing.emit('close')
      await second.take()
      await second.chunk(jobId, { output: 'new' })
      if (when === 'after') outgoing.emit('close')
      expect(await get(read(jobId))).toEqual([{ output: 'new' }])
    })
  }
})

describe('a chunk that cannot be sent', () => {
  const UNSENT = 'Error while returning job result. | Object of type bytes is not JSON serializable'

  it('is reported on the job and in its log, with its position if the worker logs chunks that it yields', async () => {
    const { createEndpoint, running, fleet, get, status } = await setup()
    await createEndpoint()
    const { jobId, worker } = await running()
    const says = (message: string) =>
      fleet().print(worker.id, JSON.stringify({ requestId: jobId, message, level: 'DEBUG' }))
    says("Generator output: b'x'")
    says(UNSENT)
    says('Generator output: 1')
    await worker.chunk(jobId, { output: 1 })
    says('Generator output: nan')
    expect((await worker.chunk(jobId, '{"output": NaN}')).status).toBe(200)
    await worker.done(jobId, { output: [] })
    says('Finished.')
    expect(await status(jobId)).toMatchObject({ status: 'COMPLETED', output: [] })
    const told = '2 of 3 chunks could not be sent: bytes at [0], NaN at [2]'
    expect((await get(`/api/jobs/${jobId}`)).history.at(-1)).toMatchObject({ event: 'complete', reason: told })
    expect((await get(`/api/jobs/${jobId}`)).warnings).toContain(`${told}.`)
    const { lines } = await get(`/api/jobs/${jobId}/logs`)
    expect(lines.filter(({ line }: { line: string }) => line.includes('could not be sent'))).toEqual([
      expect.objectContaining({ workerId: worker.id, level: 'WARN', line: `${told}.` }),
    ])
  })

  it('is reported without its position if the worker does not log chunks that it yields', async () => {
    const { createEndpoint, running, fleet, get } = await setup()
    await createEndpoint()
    const { jobId, worker } = await running()
    await worker.chunk(jobId, { output: 1 })
    fleet().print(worker.id, JSON.stringify({ requestId: jobId, message: UNSENT, level: 'ERROR' }))
    await worker.done(jobId, { output: [] })
    const { history } = await get(`/api/jobs/${jobId}`)
    expect(history.at(-1)).toMatchObject({ reason: '1 of 2 chunks could not be sent: bytes' })
  })

  it('is reported only in the log if the lines of the worker come after its result', async () => {
    const { createEndpoint, running, fleet, get, clock } = await setup()
    await createEndpoint()
    const { jobId, worker } = await running()
    await worker.chunk(jobId, { output: 1 })
    await worker.done(jobId, { output: [] })
    for (const message of ['Generator output: 1', "Generator output: b'x'", UNSENT, 'Finished.'])
      fleet().print(worker.id, JSON.stringify({ requestId: jobId, message }))
    const line = await clock.until(async () => {
      const { lines } = await get(`/api/jobs/${jobId}/logs`)
      return lines.find(({ level }: { level: string }) => level === 'WARN')
    })
    expect(line).toMatchObject({ line: '1 of 2 chunks could not be sent: bytes at [1].' })
    expect(await get(`/api/jobs/${jobId}`)).toMatchObject({ status: 'COMPLETED' })
  })

  it('is reported if a job streams more than is kept', async () => {
    const most = limit('chunksPerJob')
    const { createEndpoint, running, get } = await setup({
      storage: (storage) => ({ ...storage, chunks: { ...storage.chunks, count: () => most } }),
    })
    await createEndpoint()
    const { jobId, worker } = await running()
    await worker.chunk(jobId, { output: 1 })
    await worker.done(jobId, { output: [] })
    expect((await get(`/api/jobs/${jobId}`)).history.at(-1)).toMatchObject({
      reason: '1 of 1,000,001 chunks could not be sent: more than 1,000,000 at [1000000]',
    })
  })

  it('is not reported for a job that streams nothing, or whose chunks all arrived', async () => {
    const { createEndpoint, running, fleet, get } = await setup()
    await createEndpoint()
    for (const streams of [false, true]) {
      const { jobId, worker } = await running()
      const says = (message: string) => fleet().print(worker.id, JSON.stringify({ requestId: jobId, message }))
      if (streams) {
        says('Generator output: 1')
        await worker.chunk(jobId, { output: 1 })
      }
      says(UNSENT)
      await worker.done(jobId, { output: [] })
      expect((await get(`/api/jobs/${jobId}`)).history.at(-1)).not.toHaveProperty('reason')
    }
  })
})

describe('a chunk above 1 MB', () => {
  const most = limit('chunkBytes')
  async function pieces(output: unknown) {
    const { id, worker, ask } = await jobInState('IN_PROGRESS')
    await worker.chunk(id, { output, metrics: { n: 1 } })
    const { body } = await ask('GET', read(id))
    for (const piece of body) expect(Buffer.byteLength(JSON.stringify(piece.output))).toBeLessThanOrEqual(most)
    expect(body[0].metrics).toEqual({ n: 1 })
    expect(body.slice(1).some((piece: object) => 'metrics' in piece)).toBe(false)
    return body.map((piece: { output: unknown }) => piece.output)
  }

  for (const [bytes, count] of [
    [most - 1, 1],
    [most, 1],
    [most + 1, 2],
  ] as const) {
    it(`of text with ${bytes} bytes of JSON becomes ${count}`, async () => {
      const text = 'x'.repeat(bytes - 2)
      const parts = await pieces(text)
      expect(parts.length).toBe(count)
      expect(parts.join('')).toBe(text)
    })
  }

  it('of an array is cut into arrays in order', async () => {
    const array = Array.from({ length: 2600 }, (_, n) => `${n}`.padEnd(1000, '.'))
    const parts = await pieces(array)
    expect(parts.length).toBeGreaterThan(2)
    expect(parts.flat()).toEqual(array)
  })

  it('of an object is sent as pieces of its JSON text', async () => {
    const object = { long: 'ü'.repeat(700_000), n: 1 }
    const parts = await pieces(object)
    expect(JSON.parse(parts.join(''))).toEqual(object)
  })

  it('that is no JSON, or has no output, is dropped with 200', async () => {
    const { id, worker, get } = await jobInState('IN_PROGRESS')
    for (const body of ['oops', '[]', '{}', '1']) expect((await worker.chunk(id, body)).status).toBe(200)
    expect(await get(read(id, '?wait=0'))).toEqual([])
  })
})

describe('server-sent events', () => {
  it('give the same chunks, move the same cursor, and end with the state', async () => {
    const { id, worker, request, get } = await jobInState('IN_PROGRESS')
    const response = await request('GET', read(id), { headers: { accept: 'text/event-stream' } })
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const events = readEvents(response)
    await worker.chunk(id, { output: 1 })
    expect(await events.next()).toEqual([{ event: 'chunk', data: '{"output":1}' }])
    await worker.chunk(id, { output: 2 })
    await worker.done(id, { output: [] })
    expect(await events.rest()).toEqual([
      { event: 'chunk', data: '{"output":2}' },
      { event: 'end', data: '{"status":"COMPLETED"}' },
    ])
    expect(await get(read(id))).toEqual([])
  })

  it('say that they are still there while nothing comes', async () => {
    const { id, request, clock, post } = await jobInState('IN_QUEUE', {})
    await post('/api/endpoints/e/pause')
    const events = readEvents(await request('GET', read(id), { headers: { accept: 'text/event-stream' } }))
    await clock.advance(40_000)
    expect(events.comments()).toEqual(['still here', 'still here'])
    await events.close()
  })

  it('end when the endpoint is deleted under them', async () => {
    const { id, request, ask } = await jobInState('IN_PROGRESS')
    const events = readEvents(await request('GET', read(id), { headers: { accept: 'text/event-stream' } }))
    await settle()
    await ask('DELETE', '/api/endpoints/e')
    expect(await events.rest()).toEqual([{ event: 'end', data: '{"status":"CANCELLED"}' }])
  })
})

it('a stream of an unknown job is not found', async () => {
  const { createEndpoint, ask } = await setup()
  await createEndpoint()
  expect((await ask('GET', read('nope'))).body).toMatchObject({ code: 'JOB_NOT_FOUND', status: 404 })
})
