import { expect, it } from 'vitest'
import { setup } from '../support/core.ts'

async function withJobs() {
  const service = await setup()
  for (const id of ['e', 'other']) await service.createEndpoint(id)
  const jobs = [await service.run({ text: 'a boat' }), await service.run({ text: 'a boat' }), await service.run({})]
  const worker = await service.worker('e')
  await worker.take()
  await worker.done(jobs[0] ?? '', { error: 'no boat' })
  const counts = async (query = '') => {
    const { states } = await service.get(`/api/job-states?${query}`)
    return Object.fromEntries(
      Object.entries<{ count: number }>(states).flatMap(([state, { count }]) => (count > 0 ? [[state, count]] : [])),
    )
  }
  return { service, counts }
}

it('jobs are counted by state, also with the rest of a filter', async () => {
  const { counts } = await withJobs()
  expect(await counts()).toEqual({ IN_QUEUE: 2, FAILED: 1 })
  expect(await counts('endpoint=e')).toEqual({ IN_QUEUE: 2, FAILED: 1 })
  expect(await counts('endpoint=other')).toEqual({})
  expect(await counts('q=boat')).toEqual({ IN_QUEUE: 1, FAILED: 1 })
  expect(await counts('to=1')).toEqual({})
})

it('every state is named, and a filter by state is no part of the count', async () => {
  const { service } = await withJobs()
  const { states } = await service.get('/api/job-states')
  expect(Object.keys(states)).toEqual(['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'])
  expect(states.COMPLETED).toEqual({ count: 0, more: false })
})

it('the queue of an endpoint has beginnings of inputs if they are requested', async () => {
  const { service } = await withJobs()
  const [first] = (await service.get('/api/endpoints/e/queue?previews=true')).jobs
  expect(first.preview).toEqual({ input: '{"text":"a boat"}' })
  const [plain] = (await service.get('/api/endpoints/e/queue')).jobs
  expect(plain).not.toHaveProperty('preview')
})
