import { describe, expect, it } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { setup } from '../support/core.ts'

// The job API forgets jobs half an hour after their end; it is looked for every now and then.
const EXPIRY_MS = 31 * 60_000

const headers = { 'content-type': 'application/x-ndjson' }
const inputs = (from: number, to: number) => {
  const lines: string[] = []
  for (let n = from; n <= to; n++) lines.push(`{"input":{"n":${n}}}`)
  return lines.join('\n')
}

async function withBatch(total: number, more: object = {}) {
  const service = await setup()
  await service.createEndpoint('e', { workersMin: 0 })
  const create = () => service.post('/api/endpoints/e/batches', { name: 'evening', total, ...more })
  const batch = await create()
  const append = async (from: number, body: string) =>
    (await service.ask('POST', `/api/batches/${batch.id}/lines?from=${from}`, { body, headers })).body
  const finalize = async () => {
    const { state } = await service.post(`/api/batches/${batch.id}/finalize`)
    await service.clock.until(() => service.storage().batches.get(batch.id)?.settled === 1 || undefined)
    return state
  }
  const read = () => service.get(`/api/batches/${batch.id}`)
  const exported = async (query = '') => {
    const text = await (await service.request('GET', `/api/batches/${batch.id}/export${query}`)).text()
    return text.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line)))
  }
  return { ...service, batch, create, append, finalize, read, exported }
}

describe('a batch', () => {
  it('counts its inputs, says which were refused, and exports them in their order', async () => {
    const { append, finalize, read, exported, get } = await withBatch(4)
    expect((await read()).state).toBe('uploading')
    const text = '{"input":{"n":1}}\n\nnonsense\n{"input":{"n":4}}\n{"input":{"n":5}}'
    expect(await append(1, text)).toMatchObject({ added: 3, refused: 1, received: 5 })
    expect(await read()).toMatchObject({ state: 'draft', unsent: 0, drafts: 3, refused: 1 })
    expect(await finalize()).toBe('running')
    const found = await read()
    expect(found).toMatchObject({ state: 'running', unsent: 0, drafts: 0, refused: 1, jobs: { IN_QUEUE: 3 } })
    expect(found.failures).toMatchObject([{ count: 1, reason: expect.stringContaining('JSON') }])
    expect((await exported()).map(({ line, status }) => [line, status])).toEqual([
      [1, 'IN_QUEUE'],
      [3, 'REFUSED'],
      [4, 'IN_QUEUE'],
      [5, 'IN_QUEUE'],
    ])
    expect((await exported('?from=2')).map(({ line }) => line)).toEqual([3, 4, 5])
    expect((await get('/api/batches?endpoint=e')).batches).toMatchObject([{ name: 'evening', total: 4 }])
  })

  it('takes no line twice, and an upload that broke off continues in the same batch', async () => {
    const { append, create, finalize, batch, get } = await withBatch(6, { fingerprint: 'f' })
    await append(1, inputs(1, 4))
    expect(await create()).toMatchObject({ id: batch.id, received: 4, unsent: 2 })
    expect(await append(3, inputs(3, 6))).toMatchObject({ added: 2, received: 6 })
    expect((await get('/api/jobs?endpoint=e')).requests.length).toBe(0)
    expect((await create()).id).toBe(batch.id)
    await finalize()
    expect((await get('/api/jobs?endpoint=e')).requests.length).toBe(6)
    expect((await create()).id).not.toBe(batch.id)
  })

  it('is finalized with all lines that arrived, also with those after which the service was killed', async () => {
    const { ask, append, batch, finalize, read, storage } = await withBatch(3)
    await append(1, inputs(1, 1))
    storage().batches.receive = () => undefined
    await append(2, `\n\n${inputs(2, 2)}`)
    const add = () => ask('POST', `/v2/e/batch/${batch.id}/requests`, { body: { requests: [] } })
    expect((await add()).body.code).toBe('BATCH_CLOSED')
    await append(5, inputs(3, 3))
    expect(await finalize()).toBe('running')
    expect(await read()).toMatchObject({ total: 3, received: 1, jobs: { IN_QUEUE: 3 } })
  })

  it('takes no more inputs than were announced, nor lines than a piece has', async () => {
    const { append, read } = await withBatch(2)
    expect((await append(1, inputs(1, 3))).code).toBe('BATCH_CLOSED')
    expect((await read()).drafts).toBe(2)
    const most = limit('batchPieceLines')
    const { append: piece } = await withBatch(most + 2)
    expect((await piece(1, inputs(1, most - 1))).added).toBe(most - 1)
    expect((await piece(1, inputs(1, most))).added).toBe(1)
    expect((await piece(1, inputs(1, most + 1))).code).toBe('BODY_TOO_LARGE')
  })

  it('is as large as the limit at most', async () => {
    const { ask } = await withBatch(limit('batchInputs') - 1)
    const status = async (total: number) =>
      (await ask('POST', '/api/endpoints/e/batches', { body: { name: 'many', total } })).status
    expect([await status(limit('batchInputs')), await status(limit('batchInputs') + 1)]).toEqual([200, 400])
  })

  it('retries what failed alone, and cancels what has not ended', async () => {
    const { append, finalize, read, post, batch, worker } = await withBatch(3)
    await append(1, inputs(1, 3))
    await finalize()
    const taker = await worker()
    for (const answer of [{ output: 1 }, { error: 'no' }]) {
      const job = await taker.take()
      await taker.done(job?.id ?? '', answer)
    }
    expect(await post(`/api/batches/${batch.id}/retry`)).toEqual({ changed: 1, refused: [] })
    expect(await read()).toMatchObject({ state: 'running', jobs: { COMPLETED: 1, FAILED: 0, IN_QUEUE: 2 } })
    expect(await post(`/api/batches/${batch.id}/cancel`)).toEqual({ changed: 2, refused: [] })
    expect(await read()).toMatchObject({ state: 'cancelled', jobs: { COMPLETED: 1, CANCELLED: 2, IN_QUEUE: 0 } })
  })

  it('lists, counts and changes only its own jobs', async () => {
    const { append, finalize, batch, get, run, post, storage, clock } = await withBatch(4)
    const { seq = 0 } = storage().batches.get(batch.id) ?? {}
    const other = await run({ n: 1 })
    await append(1, inputs(1, 4))
    await finalize()
    await run({ n: 9 })
    const lines = () => [1, 2, 3, 4].map((line) => storage().batches.line(seq, line)?.id)
    const list = async (query = '') =>
      (await get(`/api/jobs?batch=${batch.id}${query}`)).requests.map(({ id }: { id: string }) => lines().indexOf(id))
    const count = async (query = '') => (await get(`/api/job-count?batch=${batch.id}${query}`)).count
    await storage().write(() => {
      const second = storage().jobs.find(lines()[1] ?? '')?.seq ?? 0
      const moment = { now: clock.wall(), steady: clock.wall() }
      storage().jobs.move(second, 'claim', { workerId: 'w' }, moment)
      storage().jobs.move(second, 'fail', { error: 'x' }, moment)
    })
    for (const [query, places] of [
      ['', [3, 2, 1, 0]],
      ['&status=IN_QUEUE', [3, 2, 0]],
      ['&status=FAILED&worker=w', [1]],
      ['&endpoint=nobody', []],
      ['&q=4', [3]],
    ] as const)
      expect([query, await list(query), await count(query)]).toEqual([query, places, places.length])
    expect([await list('&limit=2'), await list('&limit=2&offset=2')]).toEqual([
      [3, 2],
      [1, 0],
    ])
    expect((await get('/api/jobs?batch=batch_none')).requests).toEqual([])
    const { states } = await get(`/api/job-states?batch=${batch.id}`)
    expect([states.IN_QUEUE.count, states.FAILED.count, states.COMPLETED.count]).toEqual([3, 1, 0])
    expect(await post('/api/jobs/bulk', { action: 'cancel', filter: { batch: batch.id } })).toMatchObject({
      changed: 3,
    })
    expect((await get(`/api/jobs/${other}`)).status).toBe('IN_QUEUE')
  })

  it('groups failures whose numbers and ids alone differ', async () => {
    const { append, finalize, read, worker } = await withBatch(4)
    await append(1, inputs(1, 4))
    await finalize()
    const taker = await worker()
    for (let n = 1; n <= 4; n++) {
      const job = await taker.take()
      await taker.done(job?.id ?? '', { error: n === 4 ? 'no face' : `could not decode image ${n} of ${job?.id}` })
    }
    expect((await read()).failures).toMatchObject([
      { reason: 'could not decode image # of #', count: 3 },
      { reason: 'no face', count: 1 },
    ])
  })

  it('retries failed jobs that the job API has forgotten as new jobs in their place', async () => {
    const { append, finalize, read, post, get, batch, worker, clock, exported } = await withBatch(2)
    await append(1, inputs(1, 2))
    await finalize()
    const taker = await worker()
    const failed: string[] = []
    for (let n = 0; n < 2; n++) {
      const job = await taker.take()
      await taker.done(job?.id ?? '', { error: 'no' })
      failed.push(job?.id ?? '')
    }
    await clock.leap(EXPIRY_MS)
    await clock.until(async () => (await get('/api/job-count?expired=true')).count === 2)
    expect(await post(`/api/batches/${batch.id}/retry`)).toEqual({ changed: 2, refused: [] })
    expect(await read()).toMatchObject({ state: 'running', total: 2, jobs: { FAILED: 0, IN_QUEUE: 2 } })
    const lines = await exported()
    expect(lines).toMatchObject([
      { line: 1, status: 'IN_QUEUE' },
      { line: 2, status: 'IN_QUEUE' },
    ])
    for (const { id } of lines) expect(failed).not.toContain(id)
    expect((await get('/api/job-count')).count).toBe(4)
  })
})
