import { describe, expect, it } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { setup } from '../support/core.ts'

const request = (n: number) => ({ input: { n } })
const requests = (count: number, from = 1) => Array.from({ length: count }, (_one, at) => request(from + at))

async function withEndpoint() {
  const service = await setup()
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
    const { post, start, add, finalize, read, rows, worker, status, get } = await withEndpoint()
    expect(await post('/v2/e/batch', [])).toEqual({ id: expect.stringMatching(/^batch_/), status: 'DRAFT' })
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
      ...{ id, endpointId: 'e', status: 'FINALIZED', createdAt: expect.any(Number) },
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
})
