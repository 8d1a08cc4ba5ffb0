import { describe, expect, it } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { MINUTE_MS } from '../../src-main/lib/units.ts'
import { databaseFile, type SetupOptions, setup as setupService } from '../support/core.ts'
import { TEST_EPOCH } from '../support/fake-clock.ts'

const EVERY_MS = 10 * MINUTE_MS
const PATH = '/api/endpoints/e/schedules'
const OFTEN = { name: 'often', everyMs: EVERY_MS, request: { input: { n: 1 } } }

async function setup(options: SetupOptions = {}) {
  const service = await setupService(options)
  await service.createEndpoint('e', { workersMin: 0 })
  const add = (more: object = {}) => service.post(PATH, { ...OFTEN, ...more })
  const read = (id: string) => service.get(`${PATH}/${id}`)
  const jobs = async () => (await service.get('/api/jobs?endpoint=e')).requests
  return { ...service, add, read, jobs }
}

describe('a schedule', () => {
  it('queues its request as a job at each of its times, and says which', async () => {
    const { add, read, jobs, clock, get } = await setup()
    const { id, nextAt, upcoming } = await add({ request: { input: { seed: 1 }, policy: { ttl: 60_000 } } })
    expect({ nextAt, upcoming: upcoming.length }).toEqual({ nextAt: TEST_EPOCH + EVERY_MS, upcoming: 5 })
    await clock.advance(EVERY_MS - 1)
    expect(await jobs()).toEqual([])
    await clock.advance(1)
    await clock.until(async () => (await jobs()).length === 1)
    await clock.advance(EVERY_MS)
    const [second, first] = await clock.until(async () => {
      const found = await jobs()
      return found.length === 2 && found
    })
    const after = await read(id)
    expect(after.nextAt).toBe(TEST_EPOCH + 3 * EVERY_MS)
    expect(after.runs).toEqual([
      { dueAt: TEST_EPOCH + 2 * EVERY_MS, outcome: 'queued', count: 1, jobId: second.id, job: second },
      { dueAt: TEST_EPOCH + EVERY_MS, outcome: 'queued', count: 1, jobId: first.id, job: first },
    ])
    expect((await get(`/api/jobs/${second.id}`)).input).toEqual({ seed: 1 })
  })

  it('says how each of its jobs ended and how long it took, as long as it is stored', async () => {
    const { add, read, jobs, clock, worker, storage } = await setup()
    const { id } = await add()
    await clock.advance(EVERY_MS)
    await clock.until(async () => (await jobs()).length === 1)
    const taker = await worker()
    const taken = await taker.take()
    await clock.advance(700)
    await taker.done(taken?.id ?? '', { error: 'no face' })
    const [run] = (await read(id)).runs
    expect(run.job).toMatchObject({ id: run.jobId, status: 'FAILED', executionTime: 700, error: 'no face' })
    await storage().write(() => storage().jobs.remove(storage().jobs.find(run.jobId)?.seq ?? 0))
    expect((await read(id)).runs[0]).not.toHaveProperty('job')
  })

  it('hands its input on as it came', async () => {
    const { ask, clock, jobs, storage, get } = await setup()
    const text = `{"name":"exact","everyMs":${EVERY_MS},"request":{"input":{"seed":12345678901234567890,"x":1.0}}}`
    const { body } = await ask('POST', PATH, { body: text })
    expect((await get(`${PATH}/${body.id}`)).request).toContain('{"seed":12345678901234567890,"x":1.0}')
    await clock.advance(EVERY_MS)
    const [job] = await clock.until(async () => {
      const found = await jobs()
      return found.length > 0 && found
    })
    const stored = storage().jobs.find(job.id)
    const input = stored && (await storage().jobs.readInput(stored))
    expect(input?.input).toBe('{"seed":12345678901234567890,"x":1.0}')
  })

  it('goes by a pattern and its time zone', async () => {
    const { add } = await setup()
    const { upcoming } = await add({ everyMs: undefined, cron: '0 3 * * *', timeZone: 'Asia/Tokyo' })
    expect(new Date(upcoming[0]).toISOString()).toBe('2030-01-01T18:00:00.000Z')
  })

  it('that is paused queues nothing, and makes up for nothing afterwards', async () => {
    const { add, ask, read, clock, jobs } = await setup()
    const { id } = await add()
    const paused = await ask('PATCH', `${PATH}/${id}`, { body: { paused: true } })
    expect(paused.body).toMatchObject({ paused: true, upcoming: [] })
    await clock.advance(3 * EVERY_MS)
    expect(await jobs()).toEqual([])
    await ask('PATCH', `${PATH}/${id}`, { body: { paused: false } })
    expect(await read(id)).toMatchObject({ paused: false, nextAt: TEST_EPOCH + 4 * EVERY_MS, runs: [] })
    await clock.advance(EVERY_MS)
    await clock.until(async () => (await jobs()).length === 1)
  })

  it('can be run by hand in addition to its times', async () => {
    const { add, post, read, jobs } = await setup()
    const { id, nextAt } = await add()
    const { jobId } = await post(`${PATH}/${id}/run`)
    expect((await jobs()).map((job: { id: string }) => job.id)).toEqual([jobId])
    expect(await read(id)).toMatchObject({ nextAt, runs: [] })
  })

  it('says why there is no job, and continues', async () => {
    const { add, ask, read, clock, jobs } = await setup()
    const { id } = await add()
    await ask('PATCH', '/api/endpoints/e', { body: { workersMax: 0 } })
    await clock.advance(EVERY_MS)
    const [refused] = await clock.until(async () => {
      const { runs } = await read(id)
      return runs.length > 0 && runs
    })
    expect(refused).toMatchObject({
      outcome: 'refused',
      count: 1,
      reason: expect.stringMatching(/maximum of 0 workers/),
    })
    await ask('PATCH', '/api/endpoints/e', { body: { workersMax: 1 } })
    await clock.advance(EVERY_MS)
    await clock.until(async () => (await jobs()).length === 1)
  })
})

describe('missed runs', () => {
  // The service is away for two and a half intervals: two times pass.
  async function away(missed: 'skip' | 'run') {
    const service = await setup({ file: databaseFile() })
    const { id } = await service.add({ missed })
    await service.restart('killed')
    service.clock.jumpWall(2.5 * EVERY_MS)
    await service.restart('killed')
    const runs = await service.clock.until(async () => {
      const found = (await service.read(id)).runs
      return found.length > 0 && found
    })
    return { ...service, id, runs }
  }

  it('are reported as missed', async () => {
    const { runs, jobs, read, id } = await away('skip')
    expect(runs).toEqual([
      {
        dueAt: TEST_EPOCH + EVERY_MS,
        outcome: 'missed',
        count: 2,
        reason: expect.stringMatching(/did not run/),
      },
    ])
    expect(await jobs()).toEqual([])
    expect((await read(id)).nextAt).toBe(TEST_EPOCH + 3 * EVERY_MS)
  })

  it('are made up for by one job where that is wanted', async () => {
    const { runs, jobs } = await away('run')
    const [job] = await jobs()
    expect(runs).toEqual([
      expect.objectContaining({ dueAt: TEST_EPOCH + 2 * EVERY_MS, outcome: 'queued', jobId: job.id }),
      expect.objectContaining({ dueAt: TEST_EPOCH + EVERY_MS, outcome: 'missed', count: 1 }),
    ])
    expect(await jobs()).toHaveLength(1)
  })

  it('are queued once where the service was killed right after a job was queued', async () => {
    const service = await setup({ file: databaseFile() })
    const { id } = await service.add()
    const dueAt = TEST_EPOCH + EVERY_MS
    const jobId = await service.run({ n: 1 }, { idempotencyKey: `schedule/${id}/${dueAt}` })
    service.clock.jumpWall(EVERY_MS + 5 * MINUTE_MS)
    await service.restart('killed')
    const runs = await service.clock.until(async () => {
      const found = (await service.read(id)).runs
      return found.length > 0 && found
    })
    expect(runs).toMatchObject([{ dueAt, outcome: 'queued', count: 1, jobId }])
    expect(await service.jobs()).toHaveLength(1)
  })
})

describe('schedules', () => {
  it('are listed by name, of all endpoints or of one, and go with their endpoint', async () => {
    const { add, ask, get, post, createEndpoint } = await setup()
    await add({ name: 'b' })
    const { id } = await add({ name: 'a' })
    await createEndpoint('other')
    await post('/api/endpoints/other/schedules', { ...OFTEN, name: 'c' })
    const names = async (query = '') =>
      (await get(`/api/schedules${query}`)).schedules.map((one: { name: string }) => one.name)
    expect(await names()).toEqual(['a', 'b', 'c'])
    expect(await names('?endpoint=e')).toEqual(['a', 'b'])
    expect(await ask('DELETE', `/api/endpoints/other/schedules/${id}`)).toMatchObject({ status: 404 })
    expect((await ask('DELETE', `${PATH}/${id}`)).body).toEqual({ ok: true })
    expect(await names()).toEqual(['b', 'c'])
    await ask('DELETE', '/api/endpoints/e')
    expect(await names()).toEqual(['c'])
  })

  it.each([
    [{ everyMs: limit('scheduleEveryMinMs') - 1 }, /everyMs.*1000/],
    [{ everyMs: undefined }, /either cron or everyMs/],
    [{ cron: '0 3 * * *' }, /either cron or everyMs/],
    [{ everyMs: undefined, cron: 'x' }, /cron.*cannot be read/],
    [{ name: ' ' }, /name.*empty/],
    [{ missed: 'later' }, /missed.*skip, run/],
    [{ request: { input: [] } }, /input.*object/],
    [{ request: { input: {}, s3Config: {} } }, /s3Config/],
  ])('refuse %j with the field', async (more, error) => {
    const { ask } = await setup()
    const { status, body } = await ask('POST', PATH, { body: { ...OFTEN, ...more } })
    expect({ status, error: body.error }).toEqual({ status: 400, error: expect.stringMatching(error) })
  })

  it('keep the results of the newest runs', async () => {
    const { add, read, clock } = await setup()
    const { id } = await add({ everyMs: limit('scheduleEveryMinMs') })
    await clock.advance((limit('scheduleRunsKept') + 3) * limit('scheduleEveryMinMs'))
    const runs = await clock.until(async () => {
      const found = (await read(id)).runs
      return found.length === limit('scheduleRunsKept') && found
    })
    expect(new Set(runs.map(({ dueAt }: { dueAt: number }) => dueAt)).size).toBe(limit('scheduleRunsKept'))
  })

  it('are no business of a load-balanced endpoint, nor of a key that may only read', async () => {
    const { ask, post, createEndpoint, get } = await setup()
    await createEndpoint('web', { loadBalanced: {} })
    const refused = await ask('POST', '/api/endpoints/web/schedules', { body: OFTEN })
    expect(refused.body.code).toBe('NOT_QUEUE_BASED')
    const { key } = await post('/api/keys', { name: 'ada', role: 'read' })
    expect(await ask('POST', PATH, { body: OFTEN, key })).toMatchObject({ status: 403 })
    expect(await ask('GET', '/api/schedules', { key })).toMatchObject({ status: 200 })
    expect(await get('/api/schedules')).toEqual({ schedules: [] })
  })
})
