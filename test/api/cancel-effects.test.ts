import { expect, it } from 'vitest'
import { setup } from '../support/core.ts'

/** An endpoint whose worker runs two jobs of a batch and one other, while one of the batch waits. */
async function withBatch() {
  const service = await setup()
  const { createEndpoint, worker: findWorker, run, post } = service
  await createEndpoint('e', { concurrency: 3, batchWorkersMax: 0 })
  const other = await run({ word: 'oar' })
  const batch = await post('/api/endpoints/e/batches', { name: 'b', total: 3 })
  const body = '{"input":{"word":"mast"}}\n'.repeat(3)
  const headers = { 'content-type': 'application/x-ndjson' }
  await service.ask('POST', `/api/batches/${batch.id}/lines?from=1`, { body, headers })
  await post(`/api/batches/${batch.id}/finalize`)
  const worker = await findWorker()
  const taken = [(await worker.take())?.id, (await worker.take())?.id, (await worker.take())?.id]
  const effects = (body: object) => post('/api/jobs/cancel-effects', body)
  return { ...service, other, batch, taken, effects }
}

it('counts the unfinished and running jobs, and the other jobs on their workers', async () => {
  const counted = (count: number) => ({ count, more: false })
  const { effects, other, batch, taken, post } = await withBatch()
  expect(taken[0]).toBe(other)
  expect(await effects({ ids: [other] })).toEqual({ ...counted(1), running: 1, others: 2 })
  expect(await effects({ ids: [other, 'gone', other] })).toEqual({ ...counted(1), running: 1, others: 2 })
  expect(await effects({ filter: { endpoint: 'e' } })).toEqual({ ...counted(4), running: 3, others: 0 })
  expect(await effects({ filter: { q: 'mast' } })).toEqual({ ...counted(3), running: 2, others: 1 })
  expect(await effects({ filter: { status: ['IN_QUEUE', 'FAILED'] } })).toEqual({
    ...counted(1),
    running: 0,
    others: 0,
  })
  expect(await effects({ batch: batch.id })).toEqual({ ...counted(3), running: 2, others: 1 })
  await post(`/v2/e/cancel/${other}`)
  expect(await effects({ ids: [other] })).toMatchObject(counted(0))
  expect(await effects({ filter: {} })).toMatchObject(counted(3))
})

it('rejects a request with no selector, two selectors or an unknown id', async () => {
  const { ask } = await setup()
  const status = async (body: object) => (await ask('POST', '/api/jobs/cancel-effects', { body })).status
  expect(await status({})).toBe(400)
  expect(await status({ ids: ['a'], batch: 'b' })).toBe(400)
  expect(await status({ batch: 'b' })).toBe(404)
  expect(await status({ sweep: 's' })).toBe(404)
  expect(await status({ comparison: 'c' })).toBe(404)
})
