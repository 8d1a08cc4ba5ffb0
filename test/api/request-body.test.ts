import { randomBytes } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { setup } from '../support/core.ts'

const DAY = 86_400_000

async function submit(body: unknown, headers: Record<string, string> = {}) {
  const service = await setup()
  await service.createEndpoint()
  const answer = await service.ask('POST', '/v2/e/run', { body, headers })
  return { ...service, answer, outcome: answer.status === 200 ? 'accepted' : answer.body.code }
}

describe('input', () => {
  it.each([
    ['a text', 'x'],
    ['a list', []],
    ['a number', 1],
    ['null', null],
  ])('that is %s is refused in the status line too, and in the log of the endpoint', async (kind, input) => {
    const { createEndpoint, listen, accountKey, get, clock } = await setup()
    await createEndpoint()
    const response = await fetch(`${await listen('users')}/v2/e/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accountKey()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input }),
    })
    const why = `\`input\` must be an object like {"prompt": "..."}; it is ${kind}`
    expect(response.statusText).toMatch(`Bad Request: ${why}`)
    expect(await response.json()).toMatchObject({
      status: 400,
      title: 'Bad Request',
      error: expect.stringContaining(why),
    })
    const lines = await clock.until(async () => {
      const page = await get('/api/endpoints/e/logs')
      return page.lines.length > 0 ? page.lines : undefined
    })
    expect(lines).toMatchObject([{ level: 'WARN', line: expect.stringContaining(`A request was refused: ${why}`) }])
  })

  it('that is empty runs with a warning on the job and in the log, or is refused by a setting', async () => {
    const { createEndpoint, run, get, ask } = await setup()
    await createEndpoint()
    const id = await run({})
    const says = expect.stringContaining('The platform does not run jobs whose input is {}')
    expect((await get(`/api/jobs/${id}`)).warnings).toEqual([says])
    expect(await get(`/api/jobs/${await run({ n: 1 })}`)).not.toHaveProperty('warnings')
    await run({})
    expect((await get('/api/endpoints/e/logs')).lines).toMatchObject([
      { workerId: 'service', level: 'WARN', line: says },
    ])
    await ask('PATCH', '/api/endpoints/e', { body: { emptyInput: 'refuse' } })
    for (const operation of ['run', 'runsync'])
      expect((await ask('POST', `/v2/e/${operation}`, { body: { input: {} } })).body).toMatchObject({
        code: 'BAD_INPUT',
        error: expect.stringContaining('emptyInput'),
      })
    await run({ n: 1 })
  })

  for (const [what, body] of [
    ['is missing', {}],
    ['is null', { input: null }],
    ['is text', { input: 'x' }],
    ['is a number', { input: 1 }],
    ['is a list', { input: [] }],
  ] as const) {
    it(`is refused when it ${what}`, async () => {
      const { answer } = await submit(body)
      expect(answer.body).toEqual({
        error: expect.stringContaining('Send a JSON object with an `input` object'),
        code: 'BAD_INPUT',
        status: 400,
        title: 'Bad Request',
        detail: answer.body.error,
      })
      expect(answer.status).toBe(400)
    })
  }

  for (const body of ['[]', '"x"', '1', 'null', '']) {
    it(`is refused when the body is ${body || 'empty'}`, async () => {
      const { answer } = await submit(body)
      expect(answer.status).toBe(400)
    })
  }
})

describe('fields', () => {
  const fits = (field: object) => ({ input: {}, ...field })
  const policy = (name: string, value: unknown) => fits({ policy: { [name]: value } })
  const url = (length: number) => `http://a/${'x'.repeat(length - 9)}`
  const cases: readonly [string, object, boolean][] = [
    ['an executionTimeout of 4999 ms', policy('executionTimeout', 4999), false],
    ['an executionTimeout of 5000 ms', policy('executionTimeout', 5000), true],
    ['an executionTimeout of 5001 ms', policy('executionTimeout', 5001), true],
    ['an executionTimeout of 7 days - 1 ms', policy('executionTimeout', 7 * DAY - 1), true],
    ['an executionTimeout of 7 days', policy('executionTimeout', 7 * DAY), true],
    ['an executionTimeout of 7 days + 1 ms', policy('executionTimeout', 7 * DAY + 1), false],
    ['an executionTimeout of 5000.5 ms', policy('executionTimeout', 5000.5), false],
    ['an executionTimeout of text', policy('executionTimeout', '5000'), false],
    ['a ttl of 9999 ms', policy('ttl', 9999), false],
    ['a ttl of 10000 ms', policy('ttl', 10_000), true],
    ['a ttl of 10001 ms', policy('ttl', 10_001), true],
    ['a ttl of 7 days - 1 ms', policy('ttl', 7 * DAY - 1), true],
    ['a ttl of 7 days', policy('ttl', 7 * DAY), true],
    ['a ttl of 7 days + 1 ms', policy('ttl', 7 * DAY + 1), false],
    ['lowPriority true', policy('lowPriority', true), true],
    ['lowPriority "true"', policy('lowPriority', 'true'), false],
    ['a policy that is text', fits({ policy: 'x' }), false],
    ['an empty policy', fits({ policy: {} }), true],
    ['a webhook with http', fits({ webhook: 'http://example.com/hook?a=1' }), true],
    ['a webhook with https', fits({ webhook: 'https://example.com' }), true],
    ['a webhook that is empty', fits({ webhook: '' }), true],
    ['a webhook with ftp', fits({ webhook: 'ftp://example.com/' }), false],
    ['a webhook with a password', fits({ webhook: 'http://a:b@example.com/' }), false],
    ['a webhook that is no address', fits({ webhook: 'example.com' }), false],
    ['a webhook of 2047 characters', fits({ webhook: url(2047) }), true],
    ['a webhook of 2048 characters', fits({ webhook: url(2048) }), true],
    ['a webhook of 2049 characters', fits({ webhook: url(2049) }), false],
    ['s3Config that is an object', fits({ s3Config: { bucketName: 'b' } }), true],
    ['s3Config that is text', fits({ s3Config: 'x' }), false],
    ['an idempotencyKey of 254 characters', fits({ idempotencyKey: 'k'.repeat(254) }), true],
    ['an idempotencyKey of 255 characters', fits({ idempotencyKey: 'k'.repeat(255) }), true],
    ['an idempotencyKey of 256 characters', fits({ idempotencyKey: 'k'.repeat(256) }), false],
    ['an idempotencyKey that is a number', fits({ idempotencyKey: 1 }), false],
    ['fields that nobody knows', fits({ foo: 1, bar: { baz: [] } }), true],
    ['null in place of optional fields', fits({ webhook: null, policy: null, s3Config: null }), true],
  ]
  for (const [what, body, accepted] of cases) {
    it(`${accepted ? 'takes' : 'refuses'} ${what}`, async () => {
      const { outcome, storage } = await submit(body)
      expect(outcome).toBe(accepted ? 'accepted' : 'BAD_FIELD')
      expect(storage().jobs.newestSeq()).toBe(accepted ? 1 : 0)
    })
  }

  it('a refused field is named with its range', async () => {
    const { answer } = await submit(policy('ttl', 1))
    expect(answer.body.error).toBe('policy.ttl: must be from 10000 to 604800000 ms.')
  })

  it('an unknown endpoint default is 600000 ms of execution and a day of life', async () => {
    const { storage } = await submit({ input: {} })
    expect(storage().jobs.read(1)).toMatchObject({ executionTimeoutMs: 600_000, ttlMs: DAY, lowPriority: 0 })
  })

  it('the endpoint gives the default executionTimeout', async () => {
    const { createEndpoint, run, storage } = await setup()
    await createEndpoint('e', { executionTimeoutMs: 7000 })
    await run()
    expect(storage().jobs.read(1)).toMatchObject({ executionTimeoutMs: 7000 })
  })

  it('an empty webhook means none', async () => {
    const { createEndpoint, run, worker, posts, waitForJob } = await setup()
    await createEndpoint()
    const id = await run({}, { webhook: '' })
    const taker = await worker()
    expect(await taker.take()).toEqual({ id, input: {} })
    await taker.done(id, { output: 1 })
    await waitForJob(id, 'COMPLETED')
    expect(posts).toEqual([])
  })

  it('webhook and s3Config reach the worker', async () => {
    const { createEndpoint, run, worker } = await setup()
    await createEndpoint()
    const more = { webhook: 'http://example.com/', s3Config: { bucketName: 'b' } }
    const id = await run({ a: 1 }, more)
    expect(await (await worker()).take()).toEqual({ id, input: { a: 1 }, ...more })
  })
})

describe('a byte order mark', () => {
  const marked = (value: unknown) => `\uFEFF${JSON.stringify(value)}`

  it('before a request is read over', async () => {
    const { createEndpoint, ask, worker } = await setup()
    await createEndpoint()
    const { body } = await ask('POST', '/v2/e/run', { body: marked({ input: { a: 'ä' } }) })
    expect(await (await worker()).take()).toEqual({ id: body.id, input: { a: 'ä' } })
  })

  it('before a large request, whose long strings are not parsed, is read over', async () => {
    const { createEndpoint, request, worker } = await setup()
    await createEndpoint()
    const input = { picture: 'x'.repeat(300_000), a: 1 }
    await request('POST', '/v2/e/run', { body: marked({ input }) })
    expect((await (await worker()).take())?.input).toEqual(input)
  })

  it('before a result and a chunk is read over', async () => {
    const { createEndpoint, running, status, get } = await setup()
    await createEndpoint()
    const { jobId, worker } = await running()
    await worker.chunk(jobId, marked({ output: 1 }))
    await worker.done(jobId, marked({ output: 2 }))
    expect(await get(`/v2/e/stream/${jobId}`)).toEqual([{ output: 1 }])
    expect(await status(jobId)).toMatchObject({ status: 'COMPLETED', output: 2 })
  })

  it('is no body by itself', async () => {
    expect((await submit('\uFEFF')).answer.body).toMatchObject({ code: 'NOT_JSON' })
  })
})

describe('a compressed body', () => {
  const packers = {
    gzip: gzipSync,
    'X-GZIP': gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    zstd: zstdCompressSync,
    identity: (text: string) => Buffer.from(text),
  }
  for (const [encoding, pack] of Object.entries(packers)) {
    it(`of ${encoding} is unpacked`, async () => {
      const { createEndpoint, ask, worker } = await setup()
      await createEndpoint()
      const body = pack(JSON.stringify({ input: { a: 'ä' } }))
      const headers = { 'content-encoding': encoding }
      expect(await ask('POST', '/v2/e/run', { body, headers })).toMatchObject({ status: 200 })
      expect((await (await worker()).take())?.input).toEqual({ a: 'ä' })
    })
  }

  it('is unpacked over a real connection too, where it comes in pieces', async () => {
    const service = await setup()
    await service.createEndpoint()
    const url = await service.listen('users')
    const input = { noise: randomBytes(400_000).toString('hex') }
    const answer = await fetch(`${url}/v2/e/run`, {
      method: 'POST',
      headers: {
        authorization: service.accountKey(),
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      body: gzipSync(JSON.stringify({ input })),
    })
    expect(answer.status).toBe(200)
    expect((await (await service.worker()).take())?.input).toEqual(input)
  })

  const filled = (bytes: number) => `{"input":{"x":"${'x'.repeat(bytes - 18)}"}}`
  for (const [bytes, outcome] of [
    [limit('runBodyBytes') - 1, 'accepted'],
    [limit('runBodyBytes'), 'accepted'],
    [limit('runBodyBytes') + 1, 'BODY_TOO_LARGE'],
    [5 * limit('runBodyBytes'), 'BODY_TOO_LARGE'],
  ] as const) {
    it(`that unpacks to ${bytes} bytes is ${outcome === 'accepted' ? 'taken' : 'refused'}`, async () => {
      const body = gzipSync(filled(bytes))
      const { outcome: seen, answer } = await submit(body, { 'content-encoding': 'gzip' })
      expect(seen).toBe(outcome)
      if (outcome !== 'accepted') expect(answer.body.error).toContain('exceeds the 10 MiB maximum of run')
    })
  }

  it('of another kind is refused by name', async () => {
    for (const encoding of ['compress', 'gzip, br', 'constructor']) {
      const { answer } = await submit({ input: {} }, { 'content-encoding': encoding })
      expect(answer.body).toMatchObject({
        code: 'UNSUPPORTED_ENCODING',
        status: 415,
        error: expect.stringContaining(`Content-Encoding ${encoding}`),
      })
    }
  })

  it('that is not what it says is refused, and one that was cut too', async () => {
    for (const body of [JSON.stringify({ input: {} }), gzipSync('{"input":{}}').subarray(0, 20), '']) {
      const { answer } = await submit(body, { 'content-encoding': 'gzip' })
      expect(answer.body).toMatchObject({ code: 'BAD_FIELD', error: expect.stringContaining('body: it is not gzip') })
    }
  })
})

describe('the idempotency key', () => {
  it('the same key on the same endpoint gives the first job, whatever way it comes', async () => {
    const { createEndpoint, ask, storage } = await setup()
    await createEndpoint()
    await createEndpoint('other')
    const send = async (path: string, body: object, headers = {}) =>
      (await ask('POST', path, { body, headers })).body.id
    const inBody = { input: {}, idempotencyKey: 'k' }
    const first = await send('/v2/e/run', inBody)
    expect(await send('/v2/e/run', inBody)).toBe(first)
    expect(await send('/v2/e/run', { input: { other: 1 } }, { 'idempotency-key': 'k' })).toBe(first)
    expect(await send('/v2/e/run', { input: {} }, { 'idempotency-key': 'K' })).not.toBe(first)
    expect(await send('/v2/other/run', inBody)).not.toBe(first)
    expect(storage().jobs.newestSeq()).toBe(3)
  })

  it('two requests at the same time make one job', async () => {
    const { createEndpoint, post, storage } = await setup()
    await createEndpoint()
    const body = { input: {}, idempotencyKey: 'k' }
    const answers = await Promise.all([1, 2, 3].map(() => post('/v2/e/run', body)))
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
    expect(storage().jobs.newestSeq()).toBe(1)
  })

  it('runsync with the key of a job that has ended gives its record', async () => {
    const { createEndpoint, worker, post } = await setup()
    await createEndpoint()
    const body = { input: {}, idempotencyKey: 'k' }
    const { id } = await post('/v2/e/run', body)
    const taker = await worker()
    await taker.take()
    await taker.done(id, { output: 7 })
    expect(await post('/v2/e/runsync', body)).toMatchObject({ id, status: 'COMPLETED', output: 7 })
  })

  for (const [length, status] of [
    [254, 200],
    [255, 200],
    [256, 400],
  ] as const) {
    it(`a header of ${length} characters is answered with ${status}`, async () => {
      const { answer } = await submit({ input: {} }, { 'idempotency-key': 'k'.repeat(length) })
      expect(answer.status).toBe(status)
    })
  }
})

describe('size', () => {
  const fill = (bytes: number) => {
    const frame = '{"input":{"x":""}}'
    return `{"input":{"x":"${'a'.repeat(bytes - frame.length)}"}}`
  }
  for (const [operation, most, text] of [
    ['run', limit('runBodyBytes'), '10 MiB'],
    ['runsync', limit('runsyncBodyBytes'), '20 MiB'],
  ] as const) {
    it(`${operation} takes ${text} - 1 byte and ${text}, and refuses one byte more with the limit named`, async () => {
      const { createEndpoint, ask, clock, storage } = await setup()
      await createEndpoint('e', { workersMin: 0 })
      const send = (bytes: number) => ask('POST', `/v2/e/${operation}`, { body: fill(bytes) })
      const { status, body } = await send(most + 1)
      expect({ status, body }).toEqual({
        status: 400,
        body: {
          error: `The body exceeds the ${text} maximum of ${operation}. Send less, or the URL of the data.`,
          code: 'BODY_TOO_LARGE',
          status: 400,
          title: 'Bad Request',
          detail: body.error,
        },
      })
      expect(storage().jobs.newestSeq()).toBe(0)
      const answers = [send(most - 1), send(most)]
      await clock.until(() => storage().jobs.newestSeq() === 2)
      await clock.leap(limit('waitDefaultMs'))
      for (const answer of answers) expect(await answer).toMatchObject({ status: 200, body: { status: 'IN_QUEUE' } })
    })
  }

  it('a body that is too large is cut off while it arrives', async () => {
    const { createEndpoint, ask } = await setup()
    await createEndpoint()
    let pulled = 0
    const part = new Uint8Array(1024 * 1024).fill(97)
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1
        controller.enqueue(part)
      },
    })
    const { body } = await ask('POST', '/v2/e/run', { stream: endless })
    expect(body.code).toBe('BODY_TOO_LARGE')
    expect(pulled).toBeLessThan(15)
  })
})
