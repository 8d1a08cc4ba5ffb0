import { expect, test } from 'vitest'
import { setup, type TestService } from '../support/core.ts'

/** Begins to stage the next settings of endpoint e, and gives its worker. */
async function staging(service: TestService) {
  const old = await service.worker()
  const endpoint = service.storage().endpoints.get('e')
  if (endpoint === undefined) throw new Error('there is no endpoint e')
  const next = { ...endpoint, config: { ...endpoint.config, env: { VERSION: '2' } }, revision: endpoint.revision + 1 }
  const staged = service.service().supervisor.stage(next, { pool: 'main', because: 'a test', signal: undefined })
  const outcome = staged.then(
    (worker) => worker,
    (error: Error) => error.message,
  )
  const worker = await service.worker('e', [old])
  return { old, worker, outcome }
}

test('a staged worker has the settings to come and takes nothing while the old one does', async () => {
  const service = await setup()
  await service.createEndpoint()
  const { old, worker, outcome } = await staging(service)
  expect(service.fleet().started.at(-1)?.env).toMatchObject({ VERSION: '2' })
  const asked = worker.take()
  const staged = await service.clock.until(() => outcome)
  expect(staged).toMatchObject({ promote: expect.any(Function) })
  const jobId = await service.run()
  expect((await old.take())?.id).toBe(jobId)
  await service.clock.advance(20_000)
  expect(await asked).toBeUndefined()
  expect((await service.get('/api/workers')).workers).toHaveLength(2)
})

test('when it is promoted with the change of its endpoint it continues, and the old one leaves', async () => {
  const service = await setup()
  await service.createEndpoint()
  const { old, worker, outcome } = await staging(service)
  const asked = worker.take()
  const staged = await service.clock.until(() => outcome)
  if (typeof staged === 'string') throw new Error(staged)
  await service.ask('PATCH', '/api/endpoints/e', { body: { env: { VERSION: '2' } } })
  staged.promote()
  const jobId = await service.run()
  expect((await asked)?.id).toBe(jobId)
  await service.clock.until(async () => {
    const { workers } = await service.get('/api/workers')
    return workers.length === 1 && workers[0].id === worker.id
  })
  expect(old.id).not.toBe(worker.id)
})

test('one that is promoted after its endpoint was checked is idle no longer than others', async () => {
  const service = await setup()
  await service.createEndpoint()
  const { worker, outcome } = await staging(service)
  void worker.take().catch(() => undefined)
  const staged = await service.clock.until(() => outcome)
  if (typeof staged === 'string') throw new Error(staged)
  await service.ask('PATCH', '/api/endpoints/e', { body: { env: { VERSION: '2' }, workersMin: 0 } })
  const states = async () => (await service.get('/api/workers')).workers.map(({ state }: { state: string }) => state)
  await service.clock.until(async () => (await states()).length === 1)
  await service.clock.advance(1000)
  staged.promote()
  const { idleTimeoutMs } = await service.get('/api/endpoints/e')
  await service.clock.advance(2 * idleTimeoutMs)
  expect(await states()).not.toContain('idle')
})

test('one that ends before it is ready says why, and the endpoint is not the worse for it', async () => {
  const service = await setup()
  await service.createEndpoint()
  const { old, worker, outcome } = await staging(service)
  service.fleet().print(worker.id, "ModuleNotFoundError: No module named 'torch'")
  service.fleet().end(worker.id, { code: 1 })
  expect(await service.clock.until(() => outcome)).toBe("ModuleNotFoundError: No module named 'torch'")
  const jobId = await service.run()
  expect((await old.take())?.id).toBe(jobId)
  expect((await service.get('/v2/e/health')).workers).toMatchObject({ unhealthy: 0 })
})

test('one that never becomes ready is ended when its time is over', async () => {
  const service = await setup()
  await service.createEndpoint('e', { initializingTimeoutMs: 5000 })
  const { worker, outcome } = await staging(service)
  await service.clock.advance(5000)
  expect(await service.clock.until(() => outcome)).toBe('it was not ready within 5 s')
  expect(
    service
      .fleet()
      .list()
      .map(({ workerId }) => workerId),
  ).not.toContain(worker.id)
})
