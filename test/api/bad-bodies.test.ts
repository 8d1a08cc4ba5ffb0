import { describe, expect, it } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { BAD_BODY_KINDS, badBody } from '../support/bad-bodies.ts'
import { setup } from '../support/core.ts'

describe('a bad body', () => {
  for (let kind = 0; kind < BAD_BODY_KINDS; kind++) {
    it(`with ${badBody(kind).what} is refused with a reason, and nothing is stored`, async () => {
      const { createEndpoint, ask, storage, log } = await setup()
      await createEndpoint()
      for (const path of ['/v2/e/run', '/v2/e/runsync', '/v2/e/openai/v1/x']) {
        const { status, body } = await ask('POST', path, { body: badBody(kind).bytes })
        const { detail: message, code } = body
        // On the OpenAI path with the error object that its clients read.
        const error = path.includes('openai') ? { message, type: 'invalid_request_error', param: null, code } : message
        expect({ path, status, body }).toEqual({
          path,
          status: 400,
          body: {
            error,
            code: expect.stringMatching(/^(NOT_JSON|BODY_TOO_LARGE)$/),
            status: 400,
            title: 'Bad Request',
            detail: expect.stringMatching(/^(The body is not valid JSON: |The body exceeds the ).+\.$/),
          },
        })
        expect(message.length).toBeLessThan(400)
      }
      expect(storage().jobs.newestSeq()).toBe(0)
      expect(log.filter(({ level }) => level === 'error')).toEqual([])
    })
  }

  it('is refused by the management API too', async () => {
    const { createEndpoint, ask } = await setup()
    await createEndpoint()
    for (let kind = 0; kind < BAD_BODY_KINDS; kind++) {
      const { bytes } = badBody(kind)
      for (const [method, path] of [
        ['POST', '/api/endpoints'],
        ['PATCH', '/api/endpoints/e'],
        ['PATCH', '/api/settings'],
      ] as const)
        expect(await ask(method, path, { body: bytes })).toMatchObject({ status: 400 })
    }
  })
})

describe('a body at the bounds', () => {
  const nested = (depth: number) => `{"input":{"a":${'['.repeat(depth - 2)}${']'.repeat(depth - 2)}}}`
  const keyed = (keys: number) => `{"input":{${Array.from({ length: keys - 1 }, (_, n) => `"${n}":1`).join(',')}}}`
  for (const [what, most, make] of [
    ['levels', limit('jsonDepth'), nested],
    ['keys', limit('jsonKeys'), keyed],
  ] as const) {
    for (const [size, status] of [
      [most - 1, 200],
      [most, 200],
      [most + 1, 400],
    ] as const) {
      it(`with ${size} ${what} is answered with ${status}`, async () => {
        const { createEndpoint, ask } = await setup()
        await createEndpoint('e', { workersMin: 0 })
        expect((await ask('POST', '/v2/e/run', { body: make(size) })).status).toBe(status)
      })
    }
  }

  it('may hold keys that look like those of objects', async () => {
    const { createEndpoint, run, worker } = await setup()
    await createEndpoint()
    const input = JSON.parse('{"constructor":1,"prototype":{"toString":2},"hasOwnProperty":3,"":4,"proto":"__proto__"}')
    await run(input)
    expect((await (await worker()).take())?.input).toEqual(input)
  })
})

describe('wait', () => {
  const bad = [
    '0',
    '999',
    '300001',
    '-1',
    'abc',
    '',
    '1e5',
    '2000.5',
    '+2000',
    ' 2000',
    '0x7d0',
    '99999999999999999999',
  ]
  for (const path of ['runsync', 'status-sync/ID']) {
    for (const wait of bad) {
      it(`=${wait} is refused by ${path}`, async () => {
        const { createEndpoint, run, ask, storage } = await setup()
        await createEndpoint()
        const id = await run()
        const address = `/v2/e/${path.replace('ID', id)}?wait=${encodeURIComponent(wait)}`
        const { body } = await ask('POST', address, { body: { input: {} } })
        expect(body).toMatchObject({
          code: 'BAD_FIELD',
          status: 400,
          error: expect.stringMatching(/^wait: must be .*1000 to 300000/),
        })
        expect(storage().jobs.newestSeq()).toBe(1)
      })
    }
  }

  for (const wait of ['300001', '-1', 'abc', '', '1e5', '2000.5']) {
    it(`=${wait} is refused by stream`, async () => {
      const { createEndpoint, run, ask } = await setup()
      await createEndpoint()
      const id = await run()
      expect((await ask('GET', `/v2/e/stream/${id}?wait=${wait}`)).body).toMatchObject({
        code: 'BAD_FIELD',
        status: 400,
      })
    })
  }
})
