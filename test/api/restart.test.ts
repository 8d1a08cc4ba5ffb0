import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { setup } from '../support/core.ts'

async function withFile() {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const service = await setup({ file: join(folder, 'drydock.db') })
  await service.createEndpoint()
  return service
}

describe('after kill -9', () => {
  it('a worker that lives continues with its job, and its result counts', async () => {
    const { running, restart, status, get, clock } = await withFile()
    const { jobId, worker } = await running()
    await worker.chunk(jobId, { output: 'before' })
    await restart('killed')
    expect(await status(jobId)).toMatchObject({ status: 'IN_PROGRESS', workerId: worker.id })
    await clock.advance(9000)
    await worker.ping([jobId])
    await clock.advance(9000)
    await worker.chunk(jobId, { output: 'after' })
    await worker.done(jobId, { output: 1 })
    expect(await status(jobId)).toMatchObject({ status: 'COMPLETED', output: 1 })
    expect(await get(`/v2/e/stream/${jobId}`)).toEqual([{ output: 'before' }, { output: 'after' }])
    expect((await get('/v2/e/health')).jobs).toMatchObject({ completed: 1, retried: 0, inProgress: 0 })
  })

  it('leases and execution times begin anew', async () => {
    const { run, worker, restart, clock, status } = await withFile()
    const id = await run({}, { policy: { executionTimeout: 12_000 } })
    const taker = await worker()
    await taker.take()
    await taker.ping([id])
    await clock.advance(8000)
    await taker.ping([id])
    await restart('killed')
    await clock.advance(9000)
    expect((await status(id)).status).toBe('IN_PROGRESS')
    await taker.ping([id])
    await clock.advance(3300)
    expect(await status(id)).toMatchObject({ status: 'FAILED', error: 'executionTimeout exceeded' })
  })

  it('the job of a worker that died meanwhile is queued again, without counting a try', async () => {
    const { running, restart, status, fleet, get } = await withFile()
    const { jobId, worker } = await running()
    fleet().abandon()
    fleet().place.workers.delete(worker.id)
    await restart('killed')
    expect(await status(jobId)).toEqual({ id: jobId, status: 'IN_QUEUE', input: {} })
    expect((await get(`/api/jobs/${jobId}`)).history.at(-1)).toMatchObject({
      event: 'release',
      reason: 'the service was restarted and its worker had ended',
    })
  })

  it('a job whose answer never reached its worker is queued again when the worker asks for one', async () => {
    const { run, worker, restart, status } = await withFile()
    const id = await run()
    const taker = await worker()
    await taker.take()
    await restart('killed')
    expect((await taker.take())?.id).toBe(id)
    expect(await status(id)).toMatchObject({ status: 'IN_PROGRESS' })
    expect((await status(id)).retries).toBe(undefined)
  })

  it('everything that was accepted is there', async () => {
    const { run, restart, status, get, ask, createEndpoint, accountKey, post } = await withFile()
    await createEndpoint('paused', { workersMin: 0 })
    await post('/api/endpoints/paused/pause')
    const id = await run({ a: 1 }, { idempotencyKey: 'k' }, 'paused')
    await ask('PATCH', '/api/settings', { body: { streamForm: 'object' } })
    const endpoint = await get('/api/endpoints/paused')
    await restart('killed')
    expect(await status(id, 'paused')).toEqual({ id, status: 'IN_QUEUE', input: { a: 1 } })
    expect(await run({}, { idempotencyKey: 'k' }, 'paused')).toBe(id)
    expect(await get('/api/endpoints/paused')).toEqual(endpoint)
    expect(await get('/api/settings')).toMatchObject({ streamForm: 'object' })
    expect((await get('/v2/paused/health')).jobs).toMatchObject({ inQueue: 1 })
    expect((await ask('GET', '/api/info', { key: accountKey() })).status).toBe(200)
  })

  it('jobs are still found by their text', async () => {
    const { run, restart, get } = await withFile()
    const id = await run({ prompt: 'lighthouse' })
    await restart('killed')
    expect((await get('/v2/e/requests?q=lighthouse')).requests).toMatchObject([{ id }])
  })
})

describe('an orderly stop', () => {
  it('ends the workers and gives their jobs back to the queue, without counting a try', async () => {
    const { running, restart, status, fleet, worker: next } = await withFile()
    const { jobId, worker } = await running()
    const before = fleet()
    await restart('in order')
    expect(before.list()).toEqual([])
    expect(await status(jobId)).toEqual({ id: jobId, status: 'IN_QUEUE', input: {} })
    const second = await next('e', [worker])
    expect((await second.take())?.id).toBe(jobId)
  })

  it('answers those who wait with the state as it is', async () => {
    const { running, restart, ask } = await withFile()
    const { jobId } = await running()
    const waits = [ask('GET', `/v2/e/status-sync/${jobId}`), ask('POST', '/v2/e/runsync', { body: { input: {} } })]
    await restart('in order')
    for (const wait of waits) expect(await wait).toMatchObject({ status: 200, body: { status: 'IN_QUEUE' } })
  })
})
