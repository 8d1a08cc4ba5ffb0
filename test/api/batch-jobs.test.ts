import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AppError } from '../../src-main/contract/errors.ts'
import { limit } from '../../src-main/contract/limits.ts'
import { type SetupOptions, setup } from '../support/core.ts'

const request = (n: number) => ({ input: { n } })
const requests = (count: number, from = 1) => Array.from({ length: count }, (_one, at) => request(from + at))

async function withEndpoint(options: SetupOptions = {}) {
  const service = await setup(options)
  await service.createEndpoint('e', { workersMin: 0 })
  const { ask, get, post, clock } = service
  const path = (id: string, more = '') => `/v2/e/batch/${id}${more}`
  const start = async (body: unknown = []): Promise<string> => (await post('/v2/e/batch', body)).id
  const settled = (id: string) =>
    clock.until(() => (service.storage().batches.get(id)?.settled === 1 ? true : undefined))
  return {
    ...service,
    path,
    start,
    settled,
    read: (id: string) => get(path(id)),
    add: (id: string, list: unknown) => ask('POST', path(id, '/requests'), { body: { requests: list } }),
    rows: (id: string, query = '') => get(path(id, `/requests${query}`)),
    async finalize(id: string) {
      const answer = await post(path(id, '/finalize'))
      await settled(id)
      return answer
    },
  }
}

describe('a batch of the job API', () => {
  it('takes requests as a draft, and runs them once it is finalized', async () => {
    const { post, start, add, finalize, read, rows, worker, status, get, clock } = await withEndpoint()
    expect(await post('/v2/e/batch', [])).toEqual({ id: expect.stringMatching(/^batch_/), status: 'DRAFT' })
    const createdAt = clock.wall()
    const id = await start([request(1)])
    const added = await add(id, requests(2, 2))
    expect(added.body).toMatchObject({ id, status: 'DRAFT', requestTotal: 3 })
    expect((await get('/api/job-count')).count).toBe(0)
    expect((await rows(id)).requests.map(({ status }: { status: string }) => status)).toEqual([
      'DRAFT',
      'DRAFT',
      'DRAFT',
    ])
    expect(await finalize(id)).toEqual({ id, status: 'FINALIZED' })
    const taker = await worker()
    for (let n = 1; n <= 3; n++) {
      const job = await taker.take()
      expect(job).toMatchObject({ input: { n }, batchId: id })
      await taker.done(job?.id ?? '', n === 2 ? { error: 'no' } : { output: { n } })
      expect(await status(job?.id ?? '')).toMatchObject({ batchId: id })
    }
    expect(await read(id)).toMatchObject({
      ...{ id, endpointId: 'e', status: 'FINALIZED', createdAt },
      ...{ requestTotal: 3, requestInProgress: 0, requestCompleted: 2, requestFailed: 1 },
    })
    const found = await rows(id)
    expect(found).toMatchObject({ total: 3, offset: 0, limit: limit('batchPage'), hasMore: false })
    expect(found.requests.map((one: { id: string }) => one.id).slice(1)).toEqual(added.body.requestIds)
    expect(found.requests).toMatchObject([
      { status: 'COMPLETED', output: { n: 1 } },
      { status: 'FAILED', error: 'no' },
      { status: 'COMPLETED', output: { n: 3 } },
    ])
    for (const { startedAt, completedAt } of found.requests)
      expect([startedAt, completedAt]).toEqual([expect.stringMatching(/^\d{4}-.*Z$/), expect.stringMatching(/Z$/)])
  })

  it('takes all requests of a call or none', async () => {
    const { add, start, read, ask, rows } = await withEndpoint()
    const id = await start()
    const refused = await add(id, [request(1), { input: 1 }, request(3)])
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining('request 2') } })
    for (const body of [
      'nonsense',
      '{}',
      '{"requests":{}}',
      '{"requests":[{"input":{}}',
      '{"requests":[{"input":{}},]}',
    ])
      expect((await ask('POST', `/v2/e/batch/${id}/requests`, { body })).status, body).toBe(400)
    for (const body of ['{}', '[1]', '[{"input":{}}} ', '"a"'])
      expect((await ask('POST', '/v2/e/batch', { body })).status, body).toBe(400)
    expect(await read(id)).toMatchObject({ status: 'DRAFT', requestTotal: 0 })
    const many = limit('batchRequests')
    expect((await add(id, requests(many - 1))).body.requestTotal).toBe(many - 1)
    expect(await add(id, requests(2))).toMatchObject({ status: 409, body: { code: 'BATCH_FULL' } })
    expect(await rows(id, `?offset=${many - 2}`)).toMatchObject({ total: many - 1, requests: [{}], hasMore: false })
    const tooLarge = await ask('POST', `/v2/e/batch/${id}/requests`, { body: ' '.repeat(limit('batchBodyBytes') + 1) })
    expect(tooLarge).toMatchObject({ status: 400, body: { code: 'BODY_TOO_LARGE' } })
  })

  it('leaves no draft behind if its first requests are refused', async () => {
    const { ask, get, createEndpoint } = await withEndpoint()
    await createEndpoint('strict', { workersMin: 0, emptyInput: 'refuse' })
    expect((await ask('POST', '/v2/strict/batch', { body: [{ input: {} }] })).status).toBe(400)
    expect((await get('/v2/strict/batch')).batches).toEqual([])
  })

  it('keeps numbers and texts of inputs as they were sent', async () => {
    const { ask, finalize, request: send, start, path } = await withEndpoint()
    const id = await start()
    const input = '{"n":12345678901234567890, "t":"],[\\"é"}'
    const body = `{"requests": [ {"input":${input}} , {"input":{"n":1.0}} ]}`
    const { requestIds } = (await ask('POST', path(id, '/requests'), { body })).body
    await finalize(id)
    const texts = []
    for (const jobId of requestIds) texts.push(await (await send('GET', `/api/jobs/${jobId}`)).text())
    expect(texts).toEqual([expect.stringContaining(`"input":${input}`), expect.stringContaining('"input":{"n":1.0}')])
  })

  it('is renamed, listed newest first, and gives up requests while it is a draft', async () => {
    const { add, ask, createEndpoint, finalize, get, path, read, rows, start } = await withEndpoint()
    const [first, second] = [await start(), await start(requests(3))]
    expect(await ask('PUT', path(first), { body: { name: ' evening ' } })).toMatchObject({ body: { name: 'evening' } })
    expect((await ask('PUT', path(first), { body: { name: '' } })).status).toBe(400)
    expect((await get('/v2/e/batch')).batches).toMatchObject([{ id: second }, { id: first, name: 'evening' }])
    const [, gone] = (await rows(second)).requests
    const remove = () => ask('DELETE', path(second, `/requests/${gone.id}`))
    expect((await remove()).body).toEqual({ id: second, status: 'DRAFT', requestTotal: 2 })
    expect((await remove()).status).toBe(404)
    expect(await add(second, [request(4)])).toMatchObject({ body: { requestTotal: 3 } })
    expect(await rows(second, '?offset=1&limit=1')).toMatchObject({ total: 3, offset: 1, limit: 1, hasMore: true })
    await finalize(second)
    expect(await finalize(second)).toEqual({ id: second, status: 'FINALIZED' })
    const [kept] = (await rows(second)).requests
    for (const answer of [await add(second, [request(5)]), await ask('DELETE', path(second, `/requests/${kept.id}`))])
      expect(answer).toMatchObject({ status: 409, body: { code: 'BATCH_CLOSED' } })
    expect((await get('/api/job-count')).count).toBe(3)
    await finalize(first)
    expect(await read(first)).toMatchObject({ status: 'FINALIZED', requestTotal: 0 })
    await createEndpoint('f', { workersMin: 0 })
    expect((await ask('GET', `/v2/f/batch/${first}`)).body.code).toBe('BATCH_NOT_FOUND')
  })

  it('cancels what waits at once, and is CANCELLED once its running jobs have ended', async () => {
    const { add, ask, finalize, path, post, read, rows, start, worker, settled } = await withEndpoint()
    const id = await start(requests(3))
    await finalize(id)
    const taker = await worker()
    const running = await taker.take()
    expect(await post(path(id, '/cancel'))).toEqual({ id, status: 'FINALIZED' })
    await settled(id)
    expect(await read(id)).toMatchObject({ status: 'FINALIZED', requestInProgress: 1, requestFailed: 2 })
    await taker.done(running?.id ?? '', { output: 1 })
    expect(await read(id)).toMatchObject({ status: 'CANCELLED', requestCompleted: 1, requestFailed: 2 })
    expect(await post(path(id, '/cancel'))).toEqual({ id, status: 'CANCELLED' })

    const draft = await start(requests(2))
    expect(await post(path(draft, '/cancel'))).toEqual({ id: draft, status: 'CANCELLED' })
    await settled(draft)
    expect(await read(draft)).toMatchObject({ requestTotal: 2, requestFailed: 2 })
    expect((await rows(draft)).requests).toMatchObject([{ status: 'CANCELLED' }, { status: 'CANCELLED' }])
    expect((await ask('POST', path(draft, '/finalize'))).body.code).toBe('BATCH_CLOSED')
    expect((await add(draft, requests(1))).body.code).toBe('BATCH_CLOSED')
    expect(await post(path(await start(), '/cancel'))).toMatchObject({ status: 'CANCELLED' })
  })

  it('continues after a kill: each request becomes one job, with the file of its input', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-batch-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const service = await withEndpoint({ file: join(folder, 'drydock.db') })
    const { add, get, path, post, restart, rows, settled, start } = service
    const id = await start(requests(200))
    const large = { input: { text: 'x'.repeat(limit('payloadInRowBytes')) } }
    await add(id, [large])
    const files = readdirSync(join(folder, 'payloads'))
    expect(files).toHaveLength(1)
    const ids = (await rows(id, '?limit=500')).requests.map((one: { id: string }) => one.id)
    await post(path(id, '/finalize'))
    await restart('killed')
    await settled(id)
    expect((await get('/api/job-count')).count).toBe(201)
    const found = (await rows(id, '?limit=500')).requests
    expect(found.map((one: { id: string }) => one.id)).toEqual(ids)
    expect(new Set(found.map((one: { status: string }) => one.status))).toEqual(new Set(['IN_QUEUE']))
    expect(readdirSync(join(folder, 'payloads'))).toEqual(files)
    expect((await get(`/api/jobs/${ids[200]}`)).input).toEqual(large.input)

    const dropped = await start([large])
    expect(readdirSync(join(folder, 'payloads'))).toHaveLength(2)
    await post(path(dropped, '/cancel'))
    await settled(dropped)
    await service.clock.until(() => readdirSync(join(folder, 'payloads')).length === 1 || undefined)
  })

  it('gives its jobs policy and bucket of their requests, and forgets a batch only once it is queued', async () => {
    const { ask, finalize, get, path, post, start, worker } = await withEndpoint()
    const s3Config = { accessId: 'a', accessSecret: 'secret' }
    const id = await start([{ ...request(1), s3Config, policy: { ttl: 20_000, priority: 3 }, idempotencyKey: 'k' }])
    await finalize(id)
    const taken = await (await worker()).take()
    expect(taken).toMatchObject({ input: { n: 1 }, s3Config })
    expect(await get(`/api/jobs/${taken?.id}`)).toMatchObject({ priority: 3, batchId: id })
    const many = await start(requests(300))
    await post(path(many, '/finalize'))
    expect((await ask('DELETE', `/api/batches/${many}`)).status).toBe(200)
    expect((await ask('GET', path(many))).body.code).toBe('BATCH_NOT_FOUND')
    expect((await get('/api/job-count')).count).toBe(301)
  })

  it('can be deleted while its endpoint is paused, but not while the disk is too full to queue it', async () => {
    let isFull = false
    const service = await withEndpoint({
      storage: (opened) => ({
        ...opened,
        write: (run) => (isFull ? Promise.reject(new AppError('DISK_FULL')) : opened.write(run)),
      }),
    })
    const { ask, clock, get, path, post, settled, start } = service
    const [paused, full] = [await start(requests(300)), await start(requests(300))]
    await post(path(paused, '/finalize'))
    await ask('PATCH', '/api/endpoints/e', { body: { workersMax: 0 } })
    expect((await ask('DELETE', `/api/batches/${paused}`)).status).toBe(200)
    expect((await get('/api/job-count')).count).toBe(300)
    await ask('PATCH', '/api/endpoints/e', { body: { workersMax: 1 } })
    await post(path(full, '/finalize'))
    isFull = true
    const remove = () => ask('DELETE', `/api/batches/${full}`)
    expect((await remove()).body.code).toBe('DISK_FULL')
    isFull = false
    await clock.advance(5000)
    await settled(full)
    expect((await get('/api/job-count')).count).toBe(600)
    expect((await remove()).status).toBe(200)
  })

  it('is named in the error about too many batches, however old, and stops counting when cancelled or deleted', async () => {
    const { ask, get, path, post, start, storage } = await withEndpoint()
    const drafts = [await start(), await start()]
    const { batches, write } = storage()
    const ended = {
      endpointId: 'e',
      name: 'ended',
      fingerprint: null,
      total: 0,
      state: 'FINALIZED',
      createdAt: 0,
    } as const
    await write(() => {
      for (let n = 0; n < limit('batchesKept') * 2; n++) batches.insert({ ...ended, id: `ended ${n}` })
    })
    while (drafts.length < limit('batchesActive')) drafts.push(await start())
    const refused = await ask('POST', '/v2/e/batch', { body: [] })
    expect(refused).toMatchObject({ status: 429, body: { code: 'TOO_MANY_BATCHES' } })
    for (const id of drafts) expect(refused.body.error).toContain(`${id} (draft)`)
    const [first = '', second = ''] = drafts
    for (const list of ['/v2/e/batch', '/api/batches?endpoint=e'])
      expect((await get(list)).batches.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(drafts))
    expect((await ask('DELETE', `/api/batches/${first}`)).status).toBe(200)
    await start()
    await post(path(second, '/cancel'))
    await start()
  })

  it('refuses requests without fields where the endpoint does, and none waits for workers that cannot start', async () => {
    const { add, ask, createEndpoint, path, start } = await withEndpoint()
    await ask('PATCH', '/api/endpoints/e', { body: { emptyInput: 'refuse' } })
    const id = await start([request(1)])
    expect((await add(id, [request(2), { input: {} }])).body.code).toBe('BAD_INPUT')
    await ask('PATCH', '/api/endpoints/e', { body: { workersMax: 0 } })
    expect((await ask('POST', path(id, '/finalize'))).body.code).toBe('ENDPOINT_PAUSED')
    await createEndpoint('other', { workersMin: 0 })
    expect((await ask('POST', `/v2/other/batch/${id}/finalize`)).body.code).toBe('BATCH_NOT_FOUND')
  })

  it('fails once its endpoint takes no more jobs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-batch-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { ask, get, restart, settled, start, storage } = await withEndpoint({ file: join(folder, 'drydock.db') })
    const id = await start(requests(2))
    const { batches, write } = storage()
    await write(() => batches.move(batches.get(id)?.seq ?? 0, 'finalize'))
    await ask('PATCH', '/api/endpoints/e', { body: { loadBalanced: { port: 80 } } })
    expect((await ask('GET', `/v2/e/batch/${id}`)).body.code).toBe('NOT_QUEUE_BASED')
    await restart('killed')
    await settled(id)
    expect(await get(`/api/batches/${id}`)).toMatchObject({ state: 'failed', jobs: { FAILED: 2 } })
  })
})
