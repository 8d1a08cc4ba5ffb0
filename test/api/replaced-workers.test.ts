import { expect, test } from 'vitest'
import { setup, type TestService } from '../support/core.ts'
import type { TestWorker } from '../support/worker-client.ts'

const workers = async (service: TestService) => (await service.get('/api/workers')).workers

const stateOf = async (service: TestService, { id }: TestWorker) =>
  (await workers(service)).find((worker: { id: string }) => worker.id === id)?.state

/** Why a worker ended, as events tell it. */
const whyEnded = (service: TestService, { id }: TestWorker) =>
  service
    .storage()
    .events.after(0, 1000)
    .flatMap((event) => (event.workerId === id && 'event' in event && event.event === 'ended' ? [event.reason] : []))[0]

test('a new worker is ready before the old one leaves, which ends its job first', async () => {
  const service = await setup()
  await service.createEndpoint()
  const { jobId, worker: old } = await service.running()
  expect(await service.post(`/api/workers/${old.id}/replace`)).toEqual({ order: 'new first' })
  const next = await service.worker('e', [old])
  expect(await workers(service)).toMatchObject([
    { id: old.id, state: 'running', replacement: 'is being replaced' },
    { id: next.id, state: 'initializing' },
  ])
  const taken = next.take()
  await service.clock.until(async () => (await stateOf(service, old)) === 'stopping')
  expect(await workers(service)).toMatchObject([
    { id: old.id, state: 'stopping', reason: 'replaced by hand', jobs: [jobId] },
    { id: next.id, state: 'idle' },
  ])
  await old.done(jobId, { output: 1 })
  await service.clock.until(async () => (await workers(service)).length === 1)
  const second = await service.run()
  expect((await taken)?.id).toBe(second)
  expect(await service.status(jobId)).toMatchObject({ status: 'COMPLETED' })
  expect(whyEnded(service, old)).toBe('replaced by hand')
})

test('where there is no place for one more the old one leaves first, and nobody else takes the place', async () => {
  const service = await setup({ settings: { maxWorkers: 1 } })
  await service.createEndpoint()
  const { jobId, worker: old } = await service.running()
  await service.run()
  expect(await service.post(`/api/workers/${old.id}/replace`)).toEqual({ order: 'old first' })
  await service.clock.until(async () => (await stateOf(service, old)) === 'stopping')
  await old.done(jobId, { output: 1 })
  const next = await service.worker('e', [old])
  expect(await next.take()).toBeDefined()
  expect(await workers(service)).toMatchObject([{ id: next.id, state: 'running' }])
  expect(service.fleet().started).toHaveLength(2)
})

test('a new one that does not become ready leaves the old one as it is, which says why', async () => {
  const service = await setup()
  await service.createEndpoint()
  const old = await service.worker()
  const waits = old.take()
  await service.post(`/api/workers/${old.id}/replace`)
  const next = await service.worker('e', [old])
  service.fleet().print(next.id, "ModuleNotFoundError: No module named 'torch'")
  service.fleet().end(next.id, { code: 1 })
  const replacement = "not replaced: ModuleNotFoundError: No module named 'torch'"
  await service.clock.until(async () => (await workers(service))[0].replacement === replacement)
  const jobId = await service.run()
  expect((await waits)?.id).toBe(jobId)
  expect(service.log).toContainEqual(expect.objectContaining({ message: 'worker not replaced' }))
})

test('all workers of an endpoint are replaced one after the other, and not those of others', async () => {
  const service = await setup()
  await service.createEndpoint('e', { workersMin: 2, workersMax: 2 })
  await service.createEndpoint('other')
  const other = await service.worker('other')
  const first = await service.worker('e')
  const second = await service.worker('e', [first])
  const { workers: ids } = await service.post('/api/endpoints/e/replace-workers')
  expect(ids.toSorted()).toEqual([first.id, second.id].toSorted())
  const third = await service.worker('e', [first, second])
  expect(service.fleet().started).toHaveLength(4)
  void third.take()
  const fourth = await service.worker('e', [first, second, third])
  void fourth.take()
  await service.clock.until(async () => (await workers(service)).length === 3)
  expect((await workers(service)).map(({ id }: { id: string }) => id).toSorted()).toEqual(
    [third.id, fourth.id, other.id].toSorted(),
  )
})

test('when the first new one does not become ready the others are left alone', async () => {
  const service = await setup()
  await service.createEndpoint('e', { workersMin: 2, workersMax: 2 })
  const first = await service.worker('e')
  const second = await service.worker('e', [first])
  await service.post('/api/endpoints/e/replace-workers')
  const third = await service.worker('e', [first, second])
  service.fleet().end(third.id, { code: 1 })
  await service.clock.until(async () =>
    (await workers(service)).every(({ replacement }: { replacement?: string }) =>
      replacement?.startsWith('not replaced'),
    ),
  )
  expect(service.fleet().started).toHaveLength(3)
})

test('one that leaves already is not replaced again, and one that does not exist neither', async () => {
  const service = await setup()
  await service.createEndpoint('e', { stopGraceMs: 60_000 })
  const { worker } = await service.running()
  service.service().supervisor.leave(worker.id, 'idle for 5 s', false)
  const answer = await service.ask('POST', `/api/workers/${worker.id}/replace`)
  expect(answer).toMatchObject({ status: 409, body: { code: 'WORKER_LEAVES' } })
  expect(answer.body.error).toContain('idle for 5 s')
  expect((await service.ask('POST', '/api/workers/nope/replace')).status).toBe(404)
})

test('a service that stops gives up what is under way', async () => {
  const service = await setup()
  await service.createEndpoint()
  const old = await service.worker()
  await service.post(`/api/workers/${old.id}/replace`)
  await service.worker('e', [old])
  await service.restart('in order')
  expect(service.log.filter(({ level }) => level !== 'info')).toEqual([])
})

test('one that is being replaced is replaced once, however often that is asked for', async () => {
  const service = await setup()
  await service.createEndpoint()
  const old = await service.worker()
  for (let asked = 0; asked < 3; asked++) await service.post(`/api/workers/${old.id}/replace`)
  await service.post('/api/endpoints/e/replace-workers')
  const next = await service.worker('e', [old])
  void next.take()
  await service.clock.until(async () => (await workers(service)).length === 1)
  await service.clock.advance(1000)
  expect(service.fleet().started).toHaveLength(2)
  const told = service
    .storage()
    .events.after(0, 1000)
    .filter((event) => 'reason' in event && event.reason === 'is being replaced')
  expect(told).toHaveLength(1)
})

test('an endpoint that is deleted while its worker makes place gets no new one', async () => {
  const service = await setup({ settings: { maxWorkers: 1 } })
  await service.createEndpoint()
  const old = await service.worker()
  await service.post(`/api/workers/${old.id}/replace`)
  const next = await service.worker('e', [old])
  expect((await service.ask('DELETE', '/api/endpoints/e')).status).toBe(200)
  void next.take().catch(() => undefined)
  await service.clock.until(async () => (await workers(service)).length === 0)
})

test('where settings change while the new one starts in the place of the old, the new one has them too', async () => {
  const service = await setup({ settings: { maxWorkers: 1 } })
  await service.createEndpoint('e', { workersMin: 1 })
  const old = await service.worker()
  await service.post(`/api/workers/${old.id}/replace`)
  const next = await service.worker('e', [old])
  expect((await service.ask('PATCH', '/api/endpoints/e', { body: { env: { A: '1' } } })).status).toBe(200)
  void next.take().catch(() => undefined)
  await service.clock.until(() => service.fleet().started.length === 3)
  expect(service.fleet().started[2]?.env).toMatchObject({ A: '1' })
})
