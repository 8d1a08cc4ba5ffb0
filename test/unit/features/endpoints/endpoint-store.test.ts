import { expect, it, onTestFinished } from 'vitest'
import { endpointConfig } from '../../../../src-main/contract/endpoint.ts'
import { openStorage } from '../../../../src-main/storage/open-storage.ts'

function setup() {
  const storage = openStorage(':memory:')
  onTestFinished(() => storage.close())
  const { endpoints, jobs, write } = storage
  const save = (id: string, createdAt: number, event: 'created' | 'updated' | 'paused' = 'created') => {
    const config = endpointConfig.parse({ name: id, command: 'true' })
    const endpoint = { id, config, paused: event === 'paused', keyHash: new Uint8Array(32), revision: 1 }
    endpoints.save({ ...endpoint, createdAt, updatedAt: 9 }, event, 9)
  }
  const complete = (endpointId: string) => {
    const moment = { now: 9, steady: 9 }
    const times = { executionTimeoutMs: 1000, ttlMs: 1000, retentionMs: 1000 }
    const none = { s3Config: undefined, webhook: undefined, idempotencyKey: undefined }
    const { seq } = jobs.insert({ id: 'job', endpointId, input: '{}', lowPriority: false, ...times, ...none }, moment)
    jobs.move(seq, 'claim', { workerId: 'w' }, moment)
    jobs.move(seq, 'complete', { workerId: 'w', output: '1' }, moment)
  }
  return { endpoints, write, save, complete, ids: () => endpoints.all().map(({ id }) => id) }
}

it('memory follows each change as reading all of them anew would', async () => {
  const { endpoints, write, save, complete, ids } = setup()
  await write(() => save('b', 2))
  await write(() => save('c', 2))
  await write(() => save('a', 2))
  await write(() => save('first', 1)) // the clock was set back
  expect(ids()).toEqual(['first', 'a', 'b', 'c'])
  await write(() => save('b', 2, 'paused'))
  await write(() => endpoints.remove('a', 9))
  expect(ids()).toEqual(['first', 'b', 'c'])
  expect(endpoints.get('b')?.paused).toBe(true)
  await write(() => complete('c'))
  expect(endpoints.all()).toEqual(endpoints.readAll())
})

it('a job that ends in the commit that changes its endpoint is counted once', async () => {
  const { endpoints, write, save, complete } = setup()
  await write(() => save('e', 1))
  await write(() => {
    complete('e')
    save('e', 1, 'updated')
  })
  expect(endpoints.totals('e')).toEqual({ completed: 1, failed: 0, retried: 0 })
})
