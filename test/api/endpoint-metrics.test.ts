import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { serviceStats } from '../../src-main/contract/live.ts'
import { setup as setupService } from '../support/core.ts'
import { openProxy, openWorker, readyWorker } from '../support/proxied.ts'
import { until } from '../support/served-service.ts'

// A step of metrics and the wait for the log of requests, ms.
const STEP_MS = 10_000

/** A load-balanced endpoint whose worker answers with the status that the path names. */
async function setup() {
  const service = await setupService()
  const port = await openWorker((incoming, response) =>
    response.writeHead(Number.parseInt(incoming.url?.slice(1) ?? '', 10)).end(),
  )
  await service.createEndpoint('web', { loadBalanced: { port } })
  const { send } = await openProxy(service)
  await readyWorker(service)
  const steps = async () => {
    await service.clock.advance(STEP_MS)
    const { points } = await service.get(`/api/endpoints/web/metrics?from=0&to=${service.clock.wall()}`)
    return points[0]
  }
  return { ...service, send, steps }
}

it('requests to a load-balanced endpoint are counted like jobs: those with a status from 500 have failed', async () => {
  const { send, steps } = await setup()
  for (const status of [200, 404, 500, 503]) expect((await send(`/lb/web/${status}`)).status).toBe(status)
  await until(async () => expect((await steps()).submitted).toBe(4))
  expect(await steps()).toMatchObject({
    submitted: 4,
    completed: 2,
    failed: 2,
    coldStarts: 1,
    delay: { count: 4 },
    execution: { count: 4 },
  })
})

it('a request that got no worker has failed, though it is answered with 400', async () => {
  const { send, steps, get, post } = await setup()
  await send('/lb/web/400')
  await post('/api/endpoints/web/pause')
  expect((await send('/lb/web/200')).status).toBe(400)
  await until(async () => expect(await steps()).toMatchObject({ submitted: 2, completed: 1, failed: 1 }))
  expect((await get('/v2/web/health')).jobs).toMatchObject({ completed: 1, failed: 1 })
  const { endpoints } = serviceStats.parse(await get('/api/figures'))
  expect(endpoints[0]?.lastError?.error).toMatch(/is paused/)
})

it('the list of endpoints has figures of them, and the newest one that failed', async () => {
  const { send, steps, get } = await setup()
  const figures = async () => serviceStats.parse(await get('/api/figures')).endpoints[0]
  await send('/lb/web/200')
  await until(async () => expect((await steps()).submitted).toBe(1))
  expect(await figures()).toMatchObject({ endpointId: 'web', executionP50: expect.any(Number) })
  expect(await figures()).not.toHaveProperty('lastError')
  await send('/lb/web/503?key=secret')
  await until(async () => {
    await steps()
    expect((await figures())?.lastError).toEqual({ at: expect.any(Number), error: '503 on GET /503' })
  })
  await send('/lb/web/502')
  await until(async () => {
    await steps()
    expect((await figures())?.lastError?.error).toBe('502 on GET /502')
  })
})

it('a worker that was started by an earlier run of the service is no cold start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { createEndpoint, running, clock, get, restart } = await setupService({ file: join(folder, 'drydock.db') })
  await createEndpoint()
  const { worker, jobId } = await running()
  const coldStarts = async () => {
    await clock.advance(STEP_MS / 2)
    await worker.ping([jobId])
    await clock.advance(STEP_MS / 2)
    await worker.ping([jobId])
    const { points } = await get(`/api/endpoints/e/metrics?from=0&to=${clock.wall()}`)
    return (points as readonly { coldStarts: number }[]).reduce((sum, point) => sum + point.coldStarts, 0)
  }
  await until(async () => expect(await coldStarts()).toBe(1))
  await restart('killed')
  await coldStarts()
  expect(await coldStarts()).toBe(1)
  expect(await get('/api/workers')).toMatchObject({ workers: [{ id: worker.id }] })
})

it('values seen in a step stay in it when the step is written', async () => {
  const { createEndpoint, run, clock, get } = await setupService()
  await createEndpoint()
  const seen = async () => {
    const now = clock.wall()
    const { points } = await get(`/api/endpoints/e/metrics?from=${now - 6 * STEP_MS}&to=${now + 1}`)
    return (points as readonly { at: number; submitted: number }[]).filter(({ submitted }) => submitted > 0)
  }
  // Not at the start of a step, as a service begins at any time.
  await clock.advance(STEP_MS / 2)
  await run()
  const [first] = await seen()
  expect(first).toMatchObject({ at: Math.floor(clock.wall() / STEP_MS) * STEP_MS, submitted: 1 })
  await clock.advance(STEP_MS / 2)
  await until(async () => expect(await seen()).toEqual([expect.objectContaining({ at: first?.at, submitted: 1 })]))
})

it('jobs of the last seconds before the service was killed are counted once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { createEndpoint, running, run, waitForJob, clock, get, restart } = await setupService({
    file: join(folder, 'drydock.db'),
  })
  await createEndpoint()
  const { worker, jobId } = await running()
  await run()
  const totals = async () => (await get(`/api/endpoints/e/metrics?from=0&to=${clock.wall() + 1}`)).totals
  const counts = { submitted: 2, completed: 0, failed: 0, delay: { count: 1 } }
  expect(await totals()).toMatchObject(counts)
  await restart('killed')
  expect(await totals()).toMatchObject(counts)
  await worker.done(jobId, { output: 1 })
  await waitForJob(jobId, 'COMPLETED')
  await clock.advance(STEP_MS)
  const after = { ...counts, completed: 1, execution: { count: 1 } }
  expect(await totals()).toMatchObject(after)
  await restart('killed')
  expect(await totals()).toMatchObject(after)
})

it('a range has its totals at each moment, also of what is not written yet, and says when work came last', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { createEndpoint, running, run, waitForJob, clock, get, restart } = await setupService({
    file: join(folder, 'drydock.db'),
  })
  await createEndpoint()
  const metrics = () => get(`/api/endpoints/e/metrics?from=0&to=${clock.wall() + 1}&points=1000`)
  expect((await metrics()).lastActiveAt).toBeUndefined()
  const end = async (result: object, status: string) => {
    const { worker, jobId } = await running()
    await worker.done(jobId, result)
    await waitForJob(jobId, status)
  }
  await end({ output: 1 }, 'COMPLETED')
  await end({ error: 'no' }, 'FAILED')
  const before = clock.wall()
  const late = await run({}, { policy: { ttl: 10_000 } })
  await clock.advance(10_500)
  await waitForJob(late, 'TIMED_OUT')
  const counts = { submitted: 3, completed: 1, failed: 2, execution: { count: 2 } }
  const now = await metrics()
  expect(now).toMatchObject({ totals: counts })
  expect(now.lastActiveAt).toBeGreaterThanOrEqual(before - STEP_MS)
  // It ends within the step that the next one begins in: what was counted before stays.
  await restart('in order')
  await restart('in order')
  expect(await metrics()).toMatchObject({ totals: counts, lastActiveAt: now.lastActiveAt })
  await clock.advance(5 * 60_000)
  expect(await metrics()).toMatchObject({ totals: counts, lastActiveAt: now.lastActiveAt })
})

it('no percentile is above the longest span: in its range, in the list, and after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { createEndpoint, running, waitForJob, clock, get, restart } = await setupService({
    file: join(folder, 'drydock.db'),
  })
  await createEndpoint()
  const { worker, jobId } = await running()
  for (let seconds = 0; seconds < 40; seconds += 4) {
    await clock.advance(4000)
    await worker.ping([jobId])
  }
  await worker.done(jobId, { output: 1 })
  const { executionTime } = await waitForJob(jobId, 'COMPLETED')
  const expectAll = async () => {
    const { points, totals } = await get(`/api/endpoints/e/metrics?from=0&to=${clock.wall() + 1}&points=1000`)
    const all = { p50: executionTime, p90: executionTime, p99: executionTime, count: 1 }
    expect(totals.execution).toEqual(all)
    expect(points.flatMap(({ execution }: { execution?: object }) => execution ?? [])).toEqual([all])
    const { endpoints } = serviceStats.parse(await get('/api/figures'))
    expect(endpoints).toMatchObject([{ executionP50: executionTime, executionP99: executionTime }])
  }
  await expectAll()
  await restart('in order')
  await expectAll()
})

it('the list has as many jobs of the last hour as the range does, at each moment', async () => {
  const { createEndpoint, run, clock, get } = await setupService()
  await createEndpoint()
  for (let jobs = 1; jobs <= 3; jobs++) {
    await run()
    const { totals } = await get(`/api/endpoints/e/metrics?from=0&to=${clock.wall() + 1}`)
    const { endpoints } = serviceStats.parse(await get('/api/figures'))
    const listed = endpoints[0]?.submitted.reduce((sum, count) => sum + count, 0)
    expect([totals.submitted, listed]).toEqual([jobs, jobs])
  }
})

it('a step has the most jobs and workers that there were at once, even if none are left at its end', async () => {
  const { createEndpoint, running, run, waitForJob, clock, get } = await setupService()
  await createEndpoint()
  const { worker, jobId } = await running()
  const waiting = await Promise.all(Array.from({ length: 40 }, () => run()))
  const metrics = async () => (await get(`/api/endpoints/e/metrics?from=0&to=${clock.wall() + 1}&points=1`)).points
  const most = { inQueue: 40, inProgress: 1, ready: 1, starting: 1, unhealthy: 0 }
  expect(await metrics()).toMatchObject([{ inQueue: 40, most }])
  await worker.done(jobId, { output: 1 })
  for (const id of waiting) {
    expect(await worker.take()).toMatchObject({ id })
    await worker.done(id, { output: 1 })
    await waitForJob(id, 'COMPLETED')
  }
  expect(await metrics()).toMatchObject([{ inQueue: 0, most }])
  for (let step = 0; step < 3; step++) await clock.advance(STEP_MS)
  expect(await metrics()).toMatchObject([{ inQueue: 0, workers: {}, most }])
})
