/** Releases that wait for the workers of some endpoints, and give the others the same code after that. */
import { expect, test } from 'vitest'
import { PLACE, setupReleases } from '../support/release-service.ts'
import type { TestWorker } from '../support/worker-client.ts'

const ALWAYS_ONE = { workersMin: 1, workersMax: 2 }

/** A service with release 1 of an app, whose workers are ready. */
async function setup(
  resources: Parameters<Awaited<ReturnType<typeof setupReleases>>['deploy']>[0],
  options: Parameters<typeof setupReleases>[0] = {},
) {
  const { service, begin, deploy, ended } = await setupReleases(options)
  const { workers } = await deploy(resources)
  const old = (resource: string) => workers[resource] as TestWorker
  const makeReady = async (resource: string, others: readonly TestWorker[]) => {
    const worker = await service.worker(resource, others)
    void worker.take().catch(() => undefined)
    return worker
  }
  const startedOf = (resource: string) =>
    service.fleet().started.filter(({ endpointId }) => endpointId === resource).length
  const lives = ({ id }: TestWorker) =>
    service
      .fleet()
      .list()
      .some(({ workerId }) => workerId === id)
  /** Waits until a worker has ended that lives. */
  const whenGone = async (worker: TestWorker) => {
    expect(service.fleet().started).toContainEqual(expect.objectContaining({ workerId: worker.id }))
    await service.clock.until(() => !lives(worker))
  }
  const workerOfJob = async (resource: string) => {
    const { workerId } = await service.status(await service.run({}, {}, resource), resource)
    return workerId
  }
  return { service, begin, ended, old, makeReady, startedOf, lives, whenGone, workerOfJob }
}

test('a release is active when the endpoints it waits for are ready, and no other one keeps the code of before', async () => {
  const app = { greet: {}, shout: {} }
  const { service, begin, ended, old, makeReady, startedOf, whenGone } = await setup(app)
  const { steps } = await begin(app, 'b', { first: ['greet'] })
  expect(steps).toMatchObject([
    { resource: 'greet', state: 'starting' },
    { resource: 'shout', action: 'update', state: 'waiting' },
  ])
  await makeReady('greet', [old('greet')])
  expect(await ended(2)).toMatchObject({
    release: { state: 'active' },
    steps: [{ state: 'done' }, { state: 'done' }],
  })
  await whenGone(old('shout'))
  // Nobody wants it, so none is started before a job comes.
  expect(startedOf('shout')).toBe(1)
  const jobId = await service.run({}, {}, 'shout')
  const next = await makeReady('shout', [old('shout')])
  expect(next.spec.handler).not.toBe(old('shout').spec.handler)
  await service.clock.until(async () => (await service.status(jobId, 'shout')).workerId === next.id)
})

test('without an endpoint to wait for a release is active at once', async () => {
  const { begin, ended, startedOf } = await setup({ greet: {} })
  await begin({ greet: {} }, 'b', { first: [] })
  expect(await ended(2)).toMatchObject({ release: { state: 'active' } })
  expect(startedOf('greet')).toBe(1)
})

test('new endpoints, and those whose settings change too, are waited for although they are not named', async () => {
  const { begin } = await setup({ greet: {}, shout: {} })
  const { steps } = await begin({ greet: { env: { A: '1' } }, shout: {}, extra: {} }, 'b', { first: [] })
  expect(steps).toMatchObject([
    { resource: 'greet', state: 'starting' },
    { resource: 'shout', state: 'waiting' },
    { resource: 'extra', action: 'create', state: 'starting' },
  ])
})

test('where there is always a worker the old one continues until the new one is ready, and takes nothing after that', async () => {
  const app = { shout: ALWAYS_ONE }
  const { begin, ended, old, makeReady, lives, workerOfJob } = await setup(app)
  await begin(app, 'b', { first: [] })
  await ended(2)
  expect(await workerOfJob('shout')).toBe(old('shout').id)
  const next = await makeReady('shout', [old('shout')])
  expect(await workerOfJob('shout')).toBe(next.id)
  // It has a job.
  expect([lives(old('shout')), lives(next)]).toEqual([true, true])
  expect(old('shout').spec.handler).not.toBe(next.spec.handler)
})

test('a worker with a job continues until the next one is ready, and ends its job after that', async () => {
  const { service, begin, ended, old, makeReady, whenGone } = await setup({ shout: {} })
  const jobId = await service.run({}, {}, 'shout')
  await begin({ shout: {} }, 'b', { first: [] })
  await ended(2)
  await makeReady('shout', [old('shout')])
  await old('shout').done(jobId, { output: 'done by the old one' })
  expect(await service.waitForJob(jobId, 'COMPLETED', 'shout')).toMatchObject({ output: 'done by the old one' })
  await whenGone(old('shout'))
})

test('when the new worker does not become ready the old one leaves all the same, and another one is started', async () => {
  const app = { shout: ALWAYS_ONE }
  const { service, begin, ended, old, whenGone } = await setup(app)
  await begin(app, 'b', { first: [] })
  await ended(2)
  const broken = await service.worker('shout', [old('shout')])
  service.fleet().end(broken.id, { code: 1 })
  await whenGone(old('shout'))
  const again = await service.worker('shout', [old('shout'), broken])
  expect(again.spec.handler).toBe(broken.spec.handler)
})

test('code of two releases ago takes nothing once a release that waits for its endpoint is active', async () => {
  const app = { shout: ALWAYS_ONE }
  const { service, begin, ended, old, makeReady, whenGone, workerOfJob } = await setup(app)
  await begin(app, 'b', { first: [] })
  await ended(2)
  const second = await service.worker('shout', [old('shout')])
  await begin(app, 'c', { first: ['shout'] })
  const third = await makeReady('shout', [old('shout'), second])
  expect(await ended(3)).toMatchObject({ release: { state: 'active' } })
  expect(await workerOfJob('shout')).toBe(third.id)
  await whenGone(old('shout'))
  void second.take().catch(() => undefined)
  await whenGone(second)
})

test('the next release that does not wait either takes the worker of before over, and starts its own', async () => {
  const app = { shout: ALWAYS_ONE }
  const { service, begin, ended, old, makeReady, whenGone, workerOfJob } = await setup(app)
  await begin(app, 'b', { first: [] })
  await ended(2)
  const second = await service.worker('shout', [old('shout')])
  await begin(app, 'c', { first: [] })
  await ended(3)
  await whenGone(second)
  expect(await workerOfJob('shout')).toBe(old('shout').id)
  const third = await makeReady('shout', [old('shout'), second])
  expect(await workerOfJob('shout')).toBe(third.id)
})

test('where the machine has no place for one more the old worker makes it', async () => {
  const app = { shout: ALWAYS_ONE }
  const { begin, ended, old, makeReady, whenGone } = await setup(app, { settings: { maxWorkers: 1 } })
  await begin(app, 'b', { first: [] })
  await ended(2)
  await whenGone(old('shout'))
  const next = await makeReady('shout', [old('shout')])
  expect(next.spec.handler).not.toBe(old('shout').spec.handler)
})

test('an endpoint that is deleted meanwhile keeps neither worker', async () => {
  const app = { shout: ALWAYS_ONE }
  const { service, begin, ended, old, whenGone } = await setup(app)
  await begin(app, 'b', { first: [] })
  await ended(2)
  const next = await service.worker('shout', [old('shout')])
  await service.post(`${PLACE}/undeploy`)
  await whenGone(old('shout'))
  await service.clock.advance(1000)
  void next.take().catch(() => undefined)
  await whenGone(next)
})
