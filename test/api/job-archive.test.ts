import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSteadyClock } from '../../src-main/app/steady-clock.ts'
import { deleteJob } from '../../src-main/features/jobs/delete-job.ts'
import type { Job } from '../../src-main/storage/storage.ts'
import { setup } from '../support/core.ts'
import { settle } from '../support/fake-clock.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const MIB = 1024 * 1024

/** A service with jobs of endpoint e that have ended, each with the output that is given. */
async function withEnded(outputs: readonly unknown[], settings: object = {}, file = ':memory:') {
  const service = await setup({ settings, file })
  await service.createEndpoint()
  const taker = await service.worker()
  const ids: string[] = []
  for (const [n, output] of outputs.entries()) {
    const id = await service.run({ n })
    await taker.take()
    await taker.chunk(id, { output: `chunk of ${n}` })
    await taker.done(id, output instanceof Error ? { error: output.message } : { output })
    ids.push(id)
  }
  /** Lets the sweeps come to their end. */
  const pass = async (ms: number) => {
    await service.clock.leap(ms)
    for (let n = 0; n < 20; n++) await settle()
  }
  return { ...service, taker, ids, pass, expire: () => pass(30 * MINUTE + 500) }
}

describe('a job that the job API has forgotten', () => {
  it('is still read, listed, searched and counted by people, with its payloads, stream and timeline', async () => {
    const { ids, get, expire, clock } = await withEnded([{ ship: 'keel' }])
    const [id = ''] = ids
    const { finishedAt, expiresAt } = (await get('/api/jobs')).requests[0]
    await expire()
    expect(expiresAt).toBe(finishedAt + 30 * MINUTE)
    expect(clock.wall()).toBeGreaterThanOrEqual(expiresAt)
    expect(await get(`/api/jobs/${id}`)).toMatchObject({
      status: 'COMPLETED',
      expiresAt,
      input: { n: 0 },
      output: { ship: 'keel' },
      chunkCount: 1,
      history: [{ event: 'submit' }, { event: 'claim' }, { event: 'complete' }],
    })
    expect(await get(`/api/jobs/${id}/chunks`)).toEqual({ chunks: [{ output: 'chunk of 0' }], more: false })
    for (const filter of ['', 'status=COMPLETED', 'endpoint=e', 'q=keel', 'q=keel&status=COMPLETED', 'expired=true'])
      expect((await get(`/api/jobs?${filter}`)).requests, filter).toMatchObject([{ id }])
    expect(await get('/api/job-count?status=COMPLETED')).toMatchObject({ count: 1 })
    expect(await get('/api/job-count?expired=false')).toMatchObject({ count: 0 })
  })

  it('is in no list of the job API, whatever that filters by, unlike one that it knows', async () => {
    const { get, expire, run } = await withEnded([{ ship: 'keel' }])
    await expire()
    const id = await run({ ship: 'keel' })
    for (const filter of ['', 'status=IN_QUEUE', 'q=keel', 'q=keel&status=IN_QUEUE'])
      expect((await get(`/v2/e/requests?${filter}`)).requests, filter).toMatchObject([{ id }])
    expect((await get('/v2/e/requests?status=COMPLETED')).requests).toEqual([])
    expect((await get('/v2/e/requests?q=keel&status=COMPLETED')).requests).toEqual([])
  })

  it('is not moved: not by the job API, and not with many', async () => {
    const { ids, ask, post, get, expire } = await withEnded([new Error('no')])
    const [id = ''] = ids
    await expire()
    expect((await ask('POST', `/v2/e/retry/${id}`)).body).toMatchObject({ code: 'JOB_NOT_FOUND' })
    expect(await post('/api/jobs/bulk', { action: 'retry', ids: [id] })).toEqual({
      changed: 0,
      refused: [{ reason: 'expired for the job API; it can only be run again as a new job', count: 1 }],
    })
    expect(await post('/api/jobs/bulk', { action: 'retry', filter: {} })).toEqual({ changed: 0, refused: [] })
    expect(await get(`/api/jobs/${id}`)).toMatchObject({ status: 'FAILED' })
  })

  it('is run again as a new job, by itself', async () => {
    const { ids, get, post, expire, taker, ask } = await withEnded([1])
    await expire()
    const { id, status } = await post(`/api/jobs/${ids[0]}/rerun`)
    expect(status).toBe('IN_QUEUE')
    expect(ids).not.toContain(id)
    expect(await taker.take()).toMatchObject({ id, input: { n: 0 } })
    expect(await get(`/api/jobs/${ids[0]}`)).toMatchObject({ status: 'COMPLETED', output: 1 })
    expect((await ask('POST', `/api/jobs/${id}/rerun`)).body).toMatchObject({ code: 'WRONG_STATE' })
  })

  it('is still the last error of its endpoint', async () => {
    const { ids, get, expire } = await withEnded([new Error('no')])
    await expire()
    expect((await get('/api/figures')).endpoints).toMatchObject([{ lastError: { jobId: ids[0], error: 'no' } }])
  })

  it('counts in the health of its endpoint as before', async () => {
    const { get, expire } = await withEnded([1, new Error('no')])
    const before = await get('/v2/e/health')
    expect(before.jobs).toMatchObject({ completed: 1, failed: 1, inQueue: 0, inProgress: 0 })
    await expire()
    expect(await get('/v2/e/health')).toEqual(before)
  })

  it('is expired for the job API after a restart too', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { ids, ask, get, expire, restart } = await withEnded([1], {}, join(folder, 'drydock.db'))
    await expire()
    await restart('killed')
    expect((await ask('GET', `/v2/e/status/${ids[0]}`)).status).toBe(404)
    expect(await get(`/api/jobs/${ids[0]}`)).toMatchObject({ status: 'COMPLETED', output: 1 })
  })
})

describe('the history of jobs', () => {
  it('ends after its days, with all that belongs to a job', async () => {
    const { ids, ask, get, storage, expire, pass } = await withEnded([1])
    await expire()
    await pass(7 * DAY - MINUTE)
    expect(await get(`/api/jobs/${ids[0]}`)).toMatchObject({ output: 1 })
    await pass(2 * MINUTE)
    expect((await ask('GET', `/api/jobs/${ids[0]}`)).body).toMatchObject({ code: 'JOB_NOT_FOUND' })
    expect(await get(`/api/jobs?q=${ids[0]}`)).toEqual({ requests: [] })
    expect([storage().chunks.count(1), storage().jobs.history(1), storage().archive.bytes()]).toEqual([0, [], 0])
  })

  it('of 0 days ends with the retention of the job API', async () => {
    const { ids, ask, expire, storage } = await withEnded([1], { jobHistoryDays: 0 })
    await expire()
    expect((await ask('GET', `/api/jobs/${ids[0]}`)).status).toBe(404)
    expect(storage().chunks.count(1)).toBe(0)
  })

  it('follows a change of its days', async () => {
    const { ids, ask, expire, pass } = await withEnded([1])
    await expire()
    await pass(2 * DAY)
    await ask('PATCH', '/api/settings', { body: { jobHistoryDays: 1 } })
    await pass(500)
    expect((await ask('GET', `/api/jobs/${ids[0]}`)).status).toBe(404)
  })

  it('above its size gives up the largest outputs first; their records stay and say so', async () => {
    const small = 'a'.repeat(1000)
    const sizes = [3 * MIB, 1 * MIB, 5 * MIB, 2 * MIB]
    const outputs = [...sizes.map((size) => 'x'.repeat(size)), small]
    const { ids, get, storage, expire } = await withEnded(outputs, { jobHistoryMaxMib: 10 })
    expect(storage().archive.bytes()).toBe(0)
    await expire()
    const jobs = await Promise.all(ids.map((id) => get(`/api/jobs/${id}`)))
    expect(jobs.map(({ output, outputRemoved }) => [output?.length, outputRemoved])).toEqual([
      [3 * MIB, undefined],
      [1 * MIB, undefined],
      [undefined, true],
      [2 * MIB, undefined],
      [1000, undefined],
    ])
    expect(jobs[2]).toMatchObject({ input: { n: 2 }, chunkCount: 0, status: 'COMPLETED' })
    expect(jobs[2].history.length).toBe(3)
    expect(storage().archive.bytes()).toBeLessThanOrEqual(10 * MIB)
    expect(storage().archive.bytes()).toBeGreaterThan(6 * MIB)
  })

  it('that is too large without large outputs gives up its oldest records', async () => {
    const service = await withEnded([])
    const { storage, run, get, ask, expire, pass, taker } = service
    const input = { text: 'i'.repeat(MIB) }
    const ids: string[] = []
    for (let n = 0; n < 12; n++) {
      const id = await run(input)
      await taker.take()
      await taker.done(id, { output: n })
      await service.clock.advance(1000)
      ids.push(id)
    }
    await expire()
    await ask('PATCH', '/api/settings', { body: { jobHistoryMaxMib: 10 } })
    await pass(500)
    const found = await Promise.all(ids.map(async (id) => (await ask('GET', `/api/jobs/${id}`)).status))
    expect(found).toEqual([404, 404, 404, ...Array.from({ length: 9 }, () => 200)])
    expect(storage().archive.bytes()).toBeLessThanOrEqual(10 * MIB)
    expect((await get('/api/job-count')).count).toBe(9)
  })

  it('ends with its endpoint', async () => {
    const { request, ids, ask, storage, expire } = await withEnded([1, 2, 3])
    await expire()
    expect((await request('DELETE', '/api/endpoints/e')).status).toBe(200)
    expect((await ask('GET', `/api/jobs/${ids[0]}`)).status).toBe(404)
    expect(storage().archive.bytes()).toBe(0)
  })

  it('deletes the chunks of a long stream step by step', async () => {
    const { storage, expire, pass, ask } = await withEnded([1])
    const chunks = Array.from({ length: 1600 }, (_, n) => `{"output":${n}}`)
    await storage().write(() => storage().chunks.append(1, chunks))
    await expire()
    expect(storage().chunks.count(1)).toBe(1601)
    await ask('PATCH', '/api/settings', { body: { jobHistoryDays: 0 } })
    await pass(500)
    expect(storage().chunks.count(1)).toBe(0)
    expect((await ask('GET', '/api/job-count')).body.count).toBe(0)
  })
})

describe('a job that is deleted', () => {
  it('leaves the list, the search and the job API, also with a long stream', async () => {
    const { createEndpoint, running, waitForJob, request, ask, get } = await setup()
    await createEndpoint()
    const { worker, jobId } = await running()
    for (let chunk = 0; chunk < 510; chunk++) await worker.chunk(jobId, { output: chunk })
    expect(await ask('DELETE', `/api/jobs/${jobId}`)).toMatchObject({ status: 400 })
    await worker.done(jobId, { output: 1 })
    await waitForJob(jobId, 'COMPLETED')
    expect(await ask('DELETE', `/api/jobs/${jobId}`)).toMatchObject({ status: 200, body: { ok: true } })
    for (const path of ['/api/jobs', `/api/jobs?q=${jobId.slice(0, 8)}`]) expect((await get(path)).requests).toEqual([])
    expect((await request('GET', `/v2/e/status/${jobId}`)).status).toBe(404)
    expect(await ask('DELETE', `/api/jobs/${jobId}`)).toMatchObject({ status: 404 })
    expect((await get('/v2/e/health')).jobs.completed).toBe(1)
  })

  it('stays if it was retried since it was looked up', async () => {
    const { ids, ask, ...service } = await withEnded([new Error('no')])
    const storage = service.storage()
    const clock = createSteadyClock(service.clock, 0, () => undefined)
    const found = storage.jobs.find(ids[0] ?? '') as Job
    expect((await ask('POST', `/v2/e/retry/${ids[0]}`)).status).toBe(200)
    await expect(deleteJob({ storage, clock }, found)).rejects.toMatchObject({ code: 'WRONG_STATE' })
    expect(await ask('GET', `/api/jobs/${ids[0]}`)).toMatchObject({ status: 200, body: { status: 'IN_QUEUE' } })
  })
})
