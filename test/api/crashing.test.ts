/** Endpoints whose workers crash: their state, what is told of it, and when nobody has to wait any longer. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { setup, type TestService } from '../support/core.ts'

const WORDS = "ModuleNotFoundError: No module named 'torch'"
const read = (service: TestService, id = 'e') => service.get(`/api/endpoints/${id}`)
const crashes = (service: TestService, count: number) =>
  service.clock.until(async () => {
    const { crash } = await read(service)
    return crash?.count === count && crash
  }, 120_000)

async function withCrashes(count: number, config: object = {}) {
  const service = await setup()
  service.fleet().failStarts = WORDS
  await service.createEndpoint('e', config)
  await crashes(service, count)
  return service
}

test('an endpoint whose workers crash is crashing, with count, last words and the next try', async () => {
  const service = await withCrashes(3)
  const at = service.clock.wall()
  expect(await read(service)).toMatchObject({
    state: 'crashing',
    crash: { count: 3, lastWords: WORDS, since: at - 3000, lastAt: at, nextTryAt: at + 4000, needsChange: true },
  })
  expect((await service.get('/api/live')).endpoints).toMatchObject([{ state: 'crashing', crash: { count: 3 } }])
  expect((await service.get('/v2/e/health')).workers).toMatchObject({ unhealthy: 1, initializing: 0 })
})

test('the metrics of a crashing endpoint count an unhealthy worker, as its health does', async () => {
  const service = await withCrashes(3)
  await service.clock.advance(10_000)
  const { points } = await service.get(`/api/endpoints/e/metrics?from=0&to=${service.clock.wall()}`)
  expect(points.at(-1)).toMatchObject({ workers: { unhealthy: 1 }, most: { unhealthy: 1 } })
})

test('a scrape counts it, too', async () => {
  const service = await withCrashes(3)
  const page = await (await service.request('GET', '/metrics')).text()
  expect(page).toContain('drydock_workers{endpoint="e",state="unhealthy"} 1\n')
})

test('while nothing changes its metrics are stored every ten minutes, and are read without gaps', async () => {
  const service = await setup()
  service.fleet().failStarts = WORDS
  await service.createEndpoint('e', { workersMin: 0 })
  const jobId = await service.run()
  await crashes(service, 3)
  await service.run({}, { policy: { lowPriority: true } })
  await service.post(`/v2/e/cancel/${jobId}`)
  const rowsSince = (ms: number) => {
    const now = service.clock.wall()
    return service.storage().metrics.read('e', now - ms, now).length
  }
  await service.clock.advance(3_600_000)
  await service.clock.until(() => rowsSince(600_000) === 1)
  expect(rowsSince(3_000_000)).toBeLessThanOrEqual(6)
  const to = service.clock.wall()
  const { points } = await service.get(`/api/endpoints/e/metrics?from=${to - 605_000}&to=${to}&points=1000`)
  expect(points).toHaveLength(60)
  for (const point of points)
    expect(point).toMatchObject({ workers: { unhealthy: 1 }, most: { unhealthy: 1 }, failed: 0 })
})

test('without work it sleeps, and its last crash is shown, however long ago that was', async () => {
  const service = await setup()
  service.fleet().failStarts = WORDS
  await service.createEndpoint('e', { workersMin: 0 })
  const jobId = await service.run()
  await crashes(service, 7)
  await service.post(`/v2/e/cancel/${jobId}`)
  await service.clock.advance(3_600_000)
  const { state, crash } = await read(service)
  expect({ state, crash }).toMatchObject({ state: 'asleep', crash: { count: 7, lastWords: WORDS } })
  expect(crash).not.toHaveProperty('nextTryAt')
  expect((await service.get('/v2/e/health')).workers).toMatchObject({ unhealthy: 0 })
  await service.run()
  expect(await read(service)).toMatchObject({ state: 'crashing' })
})

describe('after a restart of the service', () => {
  async function withFile(count: number) {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const service = await setup({ file: join(folder, 'drydock.db') })
    service.fleet().failStarts = WORDS
    await service.createEndpoint('e')
    await crashes(service, count)
    return service
  }

  test.each(['killed', 'in order'] as const)('%s, the count continues, with last words and next try', async (how) => {
    const service = await withFile(5)
    const { nextTryAt, ...before } = (await read(service)).crash
    expect(before).toMatchObject({ count: 5, lastWords: WORDS, needsChange: true })
    await service.restart(how)
    service.fleet().failStarts = WORDS
    expect(await read(service)).toMatchObject({ state: 'crashing', crash: before })
    const { count, since, lastAt } = await crashes(service, 6)
    expect({ count, since }).toEqual({ count: 6, since: before.since })
    expect(lastAt).toBeGreaterThanOrEqual(nextTryAt)
  })

  test('a forgotten crash stays forgotten', async () => {
    const service = await withFile(3)
    service.fleet().failStarts = undefined
    await service.ask('PATCH', '/api/endpoints/e', { body: { workersMin: 0 } })
    await service.restart('in order')
    expect(await read(service)).not.toHaveProperty('crash')
  })
})

test('a worker that is ready ends it, and so does a change of the settings', async () => {
  const service = await withCrashes(2)
  service.fleet().failStarts = undefined
  const worker = await service.clock.until(() => service.fleet().list()[0], 10_000)
  expect(await read(service)).toMatchObject({ state: 'crashing' })
  const taker = await service.worker()
  expect(taker.id).toBe(worker.workerId)
  const jobId = await service.run()
  expect((await taker.take())?.id).toBe(jobId)
  expect(await read(service)).toMatchObject({ state: 'running' })
  await taker.done(jobId, { output: 1 })
  expect(await read(service)).toMatchObject({ state: 'ready' })

  const other = await withCrashes(2)
  await other.ask('PATCH', '/api/endpoints/e', { body: { workersMin: 0 } })
  expect(await read(other)).not.toHaveProperty('crash')
})

test('a job says that waiting does not help once workers fail in the same way, and not before a try of its own', async () => {
  const service = await withCrashes(3)
  await service.clock.advance(1)
  const jobId = await service.run()
  const progress = () => service.get(`/api/jobs/${jobId}/progress`)
  expect((await progress()).waitingReason).toContain('worker failed 3 times')
  expect(await progress()).not.toHaveProperty('waitingNeedsChange')
  await crashes(service, 4)
  expect(await progress()).toMatchObject({ waitingNeedsChange: true })
  expect(await read(service)).toMatchObject({ waitingNeedsChange: true })
})

test('a program that is not found needs no second try to say so', async () => {
  const service = await setup()
  await service.createEndpoint()
  const { id } = await service.worker()
  service.fleet().print(id, '/bin/sh: 1: exec: uvicorn: not found')
  service.fleet().end(id, { code: 127 })
  expect(await crashes(service, 1)).toMatchObject({ lastWords: expect.stringContaining('uvicorn'), needsChange: true })
})

test('a worker that reports itself unhealthy at its start has crashed, with the words of its check', async () => {
  const service = await setup()
  await service.createEndpoint()
  const ill: string[] = []
  for (const count of [1, 2, 3]) {
    const worker = await service.clock.until(() => {
      const next = service
        .fleet()
        .list()
        .find(({ workerId }) => !ill.includes(workerId))
      return next && service.worker()
    }, 10_000)
    ill.push(worker.id)
    await worker.ping([], '&status=unhealthy&check=model&reason=RuntimeError%3A%20model%20file%20is%20missing')
    await crashes(service, count)
  }
  const jobId = await service.run()
  expect(await service.get(`/api/jobs/${jobId}/progress`)).toMatchObject({
    waitingReason: expect.stringMatching(
      /^No worker runs: worker failed 3 times within \d+ s: model: RuntimeError: model file is missing; next try in 4 s\.$/,
    ),
  })
  expect((await service.get('/v2/e/health')).workers).toMatchObject({ unhealthy: 1, initializing: 0 })
})
