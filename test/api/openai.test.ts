import { describe, expect, it } from 'vitest'
import { setup } from '../support/core.ts'
import { settle } from '../support/fake-clock.ts'
import { readEvents } from '../support/read-events.ts'

const BOOM = { message: 'boom', type: 'server_error', param: null, code: 'JOB_FAILED' }
const CHAT = '/v2/e/openai/v1/chat/completions'

async function withWorker() {
  const service = await setup()
  await service.createEndpoint()
  return { ...service, taker: await service.worker() }
}

describe('the OpenAI path', () => {
  it('makes a job of the route and the body, and unwraps a list of one answer', async () => {
    const { taker, ask } = await withWorker()
    const answer = ask('POST', CHAT, { body: '{"model":"m","n":1.0}' })
    const job = await taker.take()
    expect(job).toEqual({
      id: expect.stringMatching(/^sync-/),
      input: { openai_route: '/v1/chat/completions', openai_input: { model: 'm', n: 1 } },
    })
    await taker.done(job?.id ?? '', { output: [{ object: 'chat.completion' }] })
    const { status, body } = await answer
    expect({ status, body }).toEqual({ status: 200, body: { object: 'chat.completion' } })
  })

  for (const [output, body] of [
    [{ a: 1 }, { a: 1 }],
    [
      [1, 2],
      [1, 2],
    ],
    ['text', 'text'],
  ]) {
    it(`passes ${JSON.stringify(output)} on as it is`, async () => {
      const { taker, ask } = await withWorker()
      const answer = ask('POST', CHAT, { body: {} })
      await taker.done((await taker.take())?.id ?? '', { output })
      expect((await answer).body).toEqual(body)
    })
  }

  it('takes the one chunk of a generator for the answer', async () => {
    const { taker, ask } = await withWorker()
    const answer = ask('POST', CHAT, { body: {} })
    const id = (await taker.take())?.id ?? ''
    await taker.chunk(id, { output: { whole: true } })
    await taker.done(id, { output: [] })
    expect((await answer).body).toEqual({ whole: true })
  })

  it('GET makes a job without a body', async () => {
    const { taker, ask } = await withWorker()
    const answer = ask('GET', '/v2/e/openai/v1/models')
    const job = await taker.take()
    expect(job?.input).toEqual({ openai_route: '/v1/models' })
    await taker.done(job?.id ?? '', { output: { data: [] } })
    expect((await answer).body).toEqual({ data: [] })
  })

  it('passes chunks on verbatim with stream: true', async () => {
    const { taker, request } = await withWorker()
    const answer = request('POST', CHAT, { body: { stream: true } })
    const id = (await taker.take())?.id ?? ''
    await taker.chunk(id, { output: 'data: {"x":1}\n\n' })
    const response = await answer
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const events = readEvents(response)
    await settle()
    expect(events.text()).toBe('data: {"x":1}\n\n')
    await taker.chunk(id, { output: { y: 2 } })
    await taker.chunk(id, { output: 'data: [DONE]\n\n' })
    await taker.done(id, { output: [] })
    await events.rest()
    expect(events.text()).toBe('data: {"x":1}\n\ndata: {"y":2}\n\ndata: [DONE]\n\n')
  })

  it('gives the whole answer of a handler that does not stream as one event', async () => {
    const { taker, request } = await withWorker()
    const answer = request('POST', CHAT, { body: { stream: true } })
    const id = (await taker.take())?.id ?? ''
    await taker.done(id, { output: { whole: true } })
    expect(await readEvents(await answer).rest()).toEqual([{ data: '{"whole":true}' }])
  })

  it('begins a stream after one hold without news, so that its client sees that it is served', async () => {
    const { taker, request, clock } = await withWorker()
    const answer = request('POST', CHAT, { body: { stream: true } })
    const id = (await taker.take())?.id ?? ''
    await taker.ping([id])
    await clock.advance(9000)
    await taker.ping([id])
    await clock.advance(9000)
    await taker.ping([id])
    await clock.advance(2000)
    const events = readEvents(await answer)
    await taker.done(id, { error: 'boom' })
    expect(await events.rest()).toEqual([{ data: JSON.stringify({ error: BOOM }) }])
  })

  it('tells in a stream that has begun that the handler yielded nothing', async () => {
    const { taker, request, clock } = await withWorker()
    const answer = request('POST', CHAT, { body: { stream: true } })
    const id = (await taker.take())?.id ?? ''
    for (const ms of [9000, 9000, 2000]) {
      await taker.ping([id])
      await clock.advance(ms)
    }
    const events = readEvents(await answer)
    await taker.done(id, { output: [] })
    expect(await events.rest()).toEqual([
      { data: expect.stringMatching(/^\{"error":\{"message":"Job .*NO_OUTPUT"\}\}$/) },
    ])
  })

  it('cancels the job of a stream whose client disconnects in the middle', async () => {
    const service = await withWorker()
    const leave = new AbortController()
    const answer = service.request('POST', CHAT, { body: { stream: true }, signal: leave.signal })
    const id = (await service.taker.take())?.id ?? ''
    await service.taker.chunk(id, { output: 'data: 1\n\n' })
    await answer
    leave.abort()
    await settle()
    expect(await service.status(id)).toMatchObject({ status: 'CANCELLED' })
  })

  it('tells of a failure in the middle of a stream', async () => {
    const { taker, request } = await withWorker()
    const answer = request('POST', CHAT, { body: { stream: true } })
    const id = (await taker.take())?.id ?? ''
    await taker.chunk(id, { output: 'data: 1\n\n' })
    const events = readEvents(await answer)
    await taker.chunk(id, { output: { object: 'error', message: 'half', type: 'BadRequestError', code: 400 } })
    await taker.done(id, { error: 'boom' })
    expect(await events.rest()).toEqual([
      { data: '1' },
      { data: '{"error":{"message":"half","type":"BadRequestError","param":null,"code":400}}' },
      { data: JSON.stringify({ error: BOOM }) },
    ])
  })

  for (const stream of [false, true]) {
    const ask = (service: Awaited<ReturnType<typeof withWorker>>) => service.ask('POST', CHAT, { body: { stream } })
    const how = stream ? 'a stream' : 'a request'

    it(`answers ${how} whose job fails with its error, not to be tried again`, async () => {
      const service = await withWorker()
      const failing = ask(service)
      await service.taker.done((await service.taker.take())?.id ?? '', { error: 'boom' })
      const { status, body, headers } = await failing
      expect({ status, body }).toEqual({ status: 500, body: { error: BOOM } })
      expect(headers.get('x-should-retry')).toBe('false')
    })

    it(`answers ${how} with the status, message and code that the worker gives`, async () => {
      const service = await withWorker()
      const error = { message: 'max_tokens is too large', type: 'BadRequestError', param: 'max_tokens', code: 400 }
      const reports = [{ error }, { error: JSON.stringify(error) }, { output: [{ object: 'error', ...error }] }]
      for (const report of reports) {
        const failing = ask(service)
        await service.taker.done((await service.taker.take())?.id ?? '', report)
        const { status, body, headers } = await failing
        expect({ status, body }).toEqual({ status: 400, body: { error } })
        expect(headers.has('x-should-retry')).toBe(false)
      }
    })

    it(`answers ${how} whose one chunk is an error as an error`, async () => {
      const service = await withWorker()
      const failing = ask(service)
      const id = (await service.taker.take())?.id ?? ''
      await service.taker.chunk(id, { output: { object: 'error', message: 'no such model', code: 404 } })
      await service.taker.done(id, { output: [] })
      expect(await failing).toMatchObject({ status: 404, body: { error: { message: 'no such model', code: 404 } } })
    })

    it(`answers ${how} whose handler yields nothing with an error, not to be tried again`, async () => {
      const service = await withWorker()
      for (const report of [{ output: [] }, {}]) {
        const empty = ask(service)
        await service.taker.done((await service.taker.take())?.id ?? '', report)
        const { status, body, headers } = await empty
        const error = { type: 'server_error', param: null, code: 'NO_OUTPUT' }
        expect({ status, body }).toEqual({
          status: 500,
          body: { error: { ...error, message: expect.stringMatching(/^Job \S+ completed without an answer/) } },
        })
        expect(headers.get('x-should-retry')).toBe('false')
      }
    })

    it(`cancels the job of ${how} whose client disconnects, unless the endpoint is set otherwise`, async () => {
      const service = await withWorker()
      for (const [cancelOnDisconnect, status] of [
        [undefined, 'CANCELLED'],
        [false, 'IN_PROGRESS'],
        [true, 'CANCELLED'],
      ]) {
        await service.ask('PATCH', '/api/endpoints/e', { body: { cancelOnDisconnect } })
        const leave = new AbortController()
        const left = service.request('POST', CHAT, { body: { stream }, signal: leave.signal }).catch(() => undefined)
        const id = (await service.taker.take())?.id ?? ''
        leave.abort()
        await left
        await settle()
        expect(await service.status(id)).toMatchObject({ status })
        await service.taker.done(id, { output: 'x' }).catch(() => undefined)
      }
    })

    it(`answers ${how} whose job was cancelled`, async () => {
      const service = await withWorker()
      const failing = ask(service)
      const id = (await service.taker.take())?.id ?? ''
      await service.post(`/v2/e/cancel/${id}`)
      expect(await failing).toMatchObject({
        status: 500,
        body: { error: { message: expect.stringMatching(/CANCELLED/) } },
      })
    })
  }

  it('answers 504 when the job takes too long, not to be tried again', async () => {
    const { ask, clock } = await withWorker()
    const slow = ask('POST', CHAT, { body: {} })
    await settle()
    await clock.leap(300_000)
    const { status, body, headers } = await slow
    expect([status, body.error.code, headers.get('x-should-retry')]).toEqual([504, 'WORKER_TOO_SLOW', 'false'])
  })

  it('reports its own refusals as error objects, with the fields of other errors', async () => {
    const { ask } = await withWorker()
    const { status, body, headers } = await ask('POST', CHAT, { body: {}, key: null })
    expect({ status, body }).toEqual({
      status: 401,
      body: {
        error: { message: body.detail, type: 'authentication_error', param: null, code: 'UNAUTHORIZED' },
        code: 'UNAUTHORIZED',
        status: 401,
        title: 'Unauthorized',
        detail: expect.stringMatching(/key/),
      },
    })
    expect(headers.get('www-authenticate')).toBe('Bearer')
  })

  for (const body of ['', '[]', 'x']) {
    it(`refuses the body ${JSON.stringify(body)}`, async () => {
      const { ask } = await withWorker()
      expect((await ask('POST', CHAT, { body })).status).toBe(400)
    })
  }
})
