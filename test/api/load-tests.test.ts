import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { setup as setupService } from '../support/core.ts'
import { settle } from '../support/fake-clock.ts'
import { until } from '../support/served-service.ts'

const PATH = '/api/endpoints/e/load-tests'
const BODY = '{"input":{}}'

async function setup(file?: string) {
  const service = await setupService(file === undefined ? {} : { file })
  await service.createEndpoint()
  const start = (plan: object = {}) =>
    service.post(PATH, { operation: 'run', requests: 10, concurrency: 2, body: BODY, ...plan })
  const read = (id: string) => service.get(`${PATH}/${id}`)
  const ended = (id: string) =>
    until(async () => {
      const test = await read(id)
      expect(test.state).not.toBe('running')
      return test
    })
  return { ...service, start, read, ended }
}

// A body that is sent so often is as large as all may be together.
const FITTING = 10_000
const LARGE_BYTES = Math.floor(limit('loadTestBytes') / FITTING)
const LARGE = JSON.stringify({ input: { a: 'x'.repeat(LARGE_BYTES - '{"input":{"a":""}}'.length) } })

describe('a load test', () => {
  it('sends as many requests as it was told, and keeps the results', async () => {
    const { start, ended, get } = await setup()
    const { id } = await start()
    const test = await ended(id)
    expect(test).toMatchObject({
      id,
      endpointId: 'e',
      state: 'completed',
      plan: { operation: 'run', requests: 10, concurrency: 2 },
      result: { done: 10, failed: 0, statuses: { 200: 10 }, errors: [], latency: { count: 10 } },
    })
    expect(test.plan).not.toHaveProperty('body')
    expect((await get('/v2/e/health')).jobs).toMatchObject({ inQueue: 10 })
    expect((await get(PATH)).loadTests).toEqual([test])
  })

  it('never has more requests open than it was told', async () => {
    const { start, get, worker, storage, ask, ended } = await setup()
    const { id } = await start({ operation: 'runsync', requests: 5, concurrency: 2 })
    await settle()
    expect((await get('/v2/e/health')).jobs).toMatchObject({ inQueue: 2 })
    await worker()
    expect(
      storage()
        .jobs.counts()
        .reduce((sum, { count }) => sum + count, 0),
    ).toBe(2)
    expect((await ask('POST', `${PATH}/${id}/stop`)).body).toMatchObject({
      state: 'stopped',
      reason: 'stopped by a person',
      result: { done: 0 },
    })
    expect(await ended(id)).toMatchObject({ state: 'stopped' })
  })

  it('groups what went wrong by its words', async () => {
    const { start, ended } = await setup()
    const { id } = await start({ body: '{"input":1}' })
    const { result } = await ended(id)
    expect(result).toMatchObject({ done: 10, failed: 10, statuses: { 400: 10 } })
    expect(result.errors).toEqual([{ text: expect.stringMatching(/^400: .*input/), count: 10 }])
  })

  it('runs alone: a second one is refused until the first has ended', async () => {
    const { start, ended, ask } = await setup()
    const { id } = await start({ operation: 'runsync' })
    const body = { operation: 'run', requests: 1, concurrency: 1, body: BODY }
    expect((await ask('POST', PATH, { body })).body).toMatchObject({ code: 'LOAD_TEST_RUNNING' })
    await ask('POST', `${PATH}/${id}/stop`)
    await ended((await start()).id)
  })

  it('is followed to its end', async () => {
    const { start, request, ask } = await setup()
    const { id } = await start({ operation: 'runsync' })
    const followed = request('GET', `${PATH}/${id}?follow=true`).then((answer) => answer.text())
    await settle()
    await ask('POST', `${PATH}/${id}/stop`)
    const events = [...(await followed).matchAll(/event: load-test\ndata: (.*)/g)].map(([, data = '']) =>
      JSON.parse(data),
    )
    expect(events.map(({ state }) => state)).toEqual(['running', 'stopped'])
  })

  it('ends with its endpoint', async () => {
    const { start, ask, get, createEndpoint } = await setup()
    await start({ operation: 'runsync', requests: 5, concurrency: 1 })
    await ask('DELETE', '/api/endpoints/e')
    await createEndpoint()
    expect((await get(PATH)).loadTests).toEqual([])
  })

  it('that cannot be stored is stopped, and the next one starts', async () => {
    const { start, ask, storage, get } = await setup()
    expect((await get(PATH)).loadTests).toEqual([])
    const stored = storage() as { write: ReturnType<typeof storage>['write'] }
    const { write } = stored
    stored.write = () => Promise.reject(new Error('full'))
    const body = { operation: 'runsync', requests: 9, concurrency: 1, body: BODY }
    expect(await ask('POST', PATH, { body })).toMatchObject({ status: 500 })
    stored.write = write
    await settle()
    await start({ operation: 'runsync' })
    expect((await get(PATH)).loadTests).toHaveLength(1)
  })

  it('stops with the service and reports it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-load-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { start, read, restart } = await setup(join(folder, 'drydock.db'))
    const { id } = await start({ operation: 'runsync' })
    await restart('in order')
    expect(await read(id)).toMatchObject({ state: 'stopped', reason: 'the service stopped' })
    expect(existsSync(folder)).toBe(true)
    const second = await start({ operation: 'runsync' })
    await restart('killed')
    expect(await read(second.id)).toMatchObject({
      state: 'stopped',
      reason: 'the service stopped before it ended',
    })
  })

  it.each<[why: RegExp, plan: object]>([
    [/requests: must be from 1/, { requests: 0 }],
    [/requests: must be from 1/, { requests: limit('loadTestRequests') + 1 }],
    [/concurrency: must be from 1/, { concurrency: limit('loadTestConcurrency') + 1 }],
    [/body: must be the text of a JSON object/, { body: '[]' }],
    [/body: is too large for this many requests/, { body: LARGE, requests: FITTING + 1 }],
    [/is queue-based/, { operation: 'request' }],
  ])('is refused where it cannot be meant: %s', async (why, plan) => {
    const { ask } = await setup()
    const body = { operation: 'run', requests: 1, concurrency: 1, body: BODY, ...plan }
    const answer = await ask('POST', PATH, { body })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatch(why)
  })

  it('may be as large as the limits say', async () => {
    const { start, ask, read } = await setup()
    const most = { requests: limit('loadTestRequests'), concurrency: limit('loadTestConcurrency') }
    const { id } = await start({ operation: 'runsync', ...most })
    await ask('POST', `${PATH}/${id}/stop`)
    expect(await read(id)).toMatchObject({ plan: most })
    const large = await start({ operation: 'runsync', concurrency: 1, requests: FITTING, body: LARGE })
    await ask('POST', `${PATH}/${large.id}/stop`)
  })

  it('is one of the newest fifty', async () => {
    const { start, ended, get } = await setup()
    const first = await start({ requests: 1 })
    await ended(first.id)
    for (let made = 0; made < limit('loadTestsKept'); made++) await ended((await start({ requests: 1 })).id)
    const { loadTests } = await get(PATH)
    expect(loadTests).toHaveLength(limit('loadTestsKept'))
    expect(loadTests.map(({ id }: { id: string }) => id)).not.toContain(first.id)
  })
})
