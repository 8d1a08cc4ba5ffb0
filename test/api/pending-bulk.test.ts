import { describe, expect, it } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { databaseFile, type SetupOptions, setup as setupService } from '../support/core.ts'

const PATH = '/api/pending-bulk-actions'
const DELAY_MS = 10_000
const CANCEL = { action: 'cancel', filter: {}, delayMs: DELAY_MS }

/** Two jobs that wait on a paused endpoint. */
async function setup(options: SetupOptions = {}) {
  const service = await setupService(options)
  const { get, post } = service
  await service.createEndpoint('e', { workersMin: 0 })
  await post('/api/endpoints/e/pause')
  const ids = [await service.run({ n: 1 }), await service.run({ n: 2 })]
  const count = async (status: string) => (await get(`/api/job-count?status=${status}`)).count
  const add = (more: object = {}) => post(PATH, { ...CANCEL, ...more })
  const read = (id: string) => get(`${PATH}/${id}`)
  const untilState = (id: string, state: string) =>
    service.clock.until(async () => {
      const found = await read(id)
      return found.state === state && found
    })
  return { ...service, ids, count, add, read, untilState }
}

describe('a bulk action that can be undone', () => {
  it('is carried out when its time is over, and not before; later jobs are left alone', async () => {
    const { add, count, clock, untilState, run, get, ids } = await setup()
    const { cursor } = await get('/api/job-count')
    const { id, state, dueAt, createdAt } = await add({ filter: { cursor } })
    expect({ state, waits: dueAt - createdAt }).toEqual({ state: 'waiting', waits: DELAY_MS })
    await run({ n: 3 })
    await clock.advance(DELAY_MS - 1)
    expect(await count('IN_QUEUE')).toBe(3)
    await clock.advance(1)
    expect((await untilState(id, 'done')).result).toEqual({ changed: ids.length, refused: [] })
    expect(await count('IN_QUEUE')).toBe(1)
  })

  it('is never carried out once it was undone, and cannot be undone twice', async () => {
    const { add, count, clock, ask, read } = await setup()
    const { id } = await add()
    expect((await ask('DELETE', `${PATH}/${id}`)).status).toBe(200)
    await clock.advance(DELAY_MS)
    expect(await count('IN_QUEUE')).toBe(2)
    expect((await read(id)).state).toBe('undone')
    const again = await ask('DELETE', `${PATH}/${id}`)
    expect({ status: again.status, message: again.body.error }).toEqual({
      status: 409,
      message: 'The bulk action can no longer be undone (undone).',
    })
  })

  it('can be carried out at once; then it can no longer be undone', async () => {
    const { add, count, post, ask, ids } = await setup()
    const { id } = await add({ filter: undefined, ids: [...ids, 'gone'] })
    expect(await post(`${PATH}/${id}/start`)).toMatchObject({
      state: 'done',
      result: { changed: 2, refused: [{ reason: 'unknown, or no longer stored', count: 1 }] },
    })
    expect(await count('CANCELLED')).toBe(2)
    expect((await ask('DELETE', `${PATH}/${id}`)).status).toBe(409)
  })

  it('runs jobs again as new ones', async () => {
    const { add, post, untilState, clock, get } = await setup()
    await post('/api/jobs/bulk', { action: 'cancel', filter: {} })
    const { id } = await add({ action: 'rerun' })
    await clock.advance(DELAY_MS)
    expect((await untilState(id, 'done')).result.changed).toBe(2)
    expect((await get('/api/jobs')).requests).toHaveLength(4)
  })

  for (const how of ['killed', 'in order'] as const) {
    it(`is carried out by the next service where this one was stopped before (${how})`, async () => {
      const service = await setup({ file: databaseFile() })
      const { id } = await service.add()
      const { id: undone } = await service.add({ action: 'retry' })
      await service.ask('DELETE', `${PATH}/${undone}`)
      await service.restart(how)
      expect((await service.untilState(id, 'done')).result.changed).toBe(2)
      expect((await service.read(undone)).state).toBe('undone')
    })
  }

  it('is gone on with where the service was killed while it ran, but no job is run again twice', async () => {
    const service = await setup({ file: databaseFile() })
    const [cancel, rerun] = [await service.add(), await service.add({ action: 'rerun' })]
    const { storage } = service
    await storage().write(() => {
      for (const { id } of [cancel, rerun]) storage().pendingBulk.leaveWaiting({ id, to: 'running' })
    })
    await service.restart('killed')
    expect((await service.untilState(cancel.id, 'done')).result.changed).toBe(2)
    await service.untilState(rerun.id, 'interrupted')
    expect((await service.get('/api/jobs')).requests).toHaveLength(2)
  })

  it('waits for a minute at most, and only some wait at a time', async () => {
    const { ask, add } = await setup()
    const most = limit('pendingBulkMs')
    for (const delayMs of [-1, most + 1, 1.5, '1'])
      expect((await ask('POST', PATH, { body: { ...CANCEL, delayMs } })).status).toBe(400)
    for (let n = 0; n < limit('pendingBulkActions'); n++) await add({ delayMs: most })
    expect((await ask('POST', PATH, { body: CANCEL })).body.code).toBe('TOO_MANY_PENDING_ACTIONS')
  })

  it('is listed, the newest first; old ones that have ended are forgotten', async () => {
    const { add, get, post } = await setup()
    for (let n = 0; n < limit('pendingBulkKept'); n++) await post(`${PATH}/${(await add()).id}/start`)
    const { id } = await add()
    const { actions } = await get(PATH)
    expect(actions).toHaveLength(limit('pendingBulkKept'))
    expect(actions[0]).toMatchObject({ id, action: 'cancel', state: 'waiting' })
  })
})
