import { describe, expect, it } from 'vitest'
import { setup } from '../support/core.ts'
import { settle } from '../support/fake-clock.ts'
import { readEvents } from '../support/read-events.ts'

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
    const response = await request('POST', CHAT, { body: { stream: true } })
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const events = readEvents(response)
    const id = (await taker.take())?.id ?? ''
    await taker.chunk(id, { output: 'data: {"x":1}\n\n' })
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
    const events = readEvents(await request('POST', CHAT, { body: { stream: true } }))
    const id = (await taker.take())?.id ?? ''
    await taker.done(id, { output: { whole: true } })
    expect(await events.rest()).toEqual([{ data: '{"whole":true}' }])
  })

  it('tells of a failure in the middle of a stream', async () => {
    const { taker, request } = await withWorker()
    const events = readEvents(await request('POST', CHAT, { body: { stream: true } }))
    const id = (await taker.take())?.id ?? ''
    await taker.done(id, { error: 'boom' })
    expect(await events.rest()).toEqual([{ data: '{"error":{"message":"boom","code":500}}' }])
  })

  it('answers 500 when the job fails and 504 when it takes too long', async () => {
    const { taker, ask, clock } = await withWorker()
    const failing = ask('POST', CHAT, { body: {} })
    const id = (await taker.take())?.id ?? ''
    await taker.done(id, { error: 'boom' })
    expect((await failing).body).toMatchObject({
      code: 'JOB_FAILED',
      status: 500,
      error: `Job ${id} ended as FAILED: boom`,
    })
    const slow = ask('POST', CHAT, { body: {} })
    await settle()
    await clock.leap(300_000)
    expect((await slow).body).toMatchObject({ code: 'WORKER_TOO_SLOW', status: 504 })
  })

  for (const body of ['', '[]', 'x']) {
    it(`refuses the body ${JSON.stringify(body)}`, async () => {
      const { ask } = await withWorker()
      expect((await ask('POST', CHAT, { body })).status).toBe(400)
    })
  }
})
