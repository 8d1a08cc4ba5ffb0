import { expect, test } from 'vitest'
import type { FleetEvent } from '../../src-main/contract/fleet-events.ts'
import { setup, type TestService } from '../support/core.ts'
import { setupReleases } from '../support/release-service.ts'

const listed = async (service: Pick<TestService, 'get'>, query = ''): Promise<readonly FleetEvent[]> =>
  (await service.get(`/api/fleet-events${query}`)).events
const told = (events: readonly FleetEvent[]) => events.map(({ kind, event }) => `${kind} ${event}`)

test('tells what was done to an endpoint and how its workers came and went, newest first', async () => {
  const service = await setup()
  await service.createEndpoint()
  const worker = await service.worker()
  void worker.take()
  await service.clock.until(async () => (await service.get('/api/workers')).workers[0].state === 'idle')
  await service.post('/api/endpoints/e/pause')
  await service.post(`/api/workers/${worker.id}/stop`)
  await service.clock.until(async () =>
    (await listed(service, '?kinds=scale')).some(({ event }) => event === 'stopping'),
  )
  const events = await listed(service)
  expect(events.find(({ event }) => event === 'initializing')?.reason).toBe('minimum of 1 worker')
  expect(told(events).slice(-4)).toEqual([
    'scale stopping',
    'endpoint paused',
    'scale initializing',
    'endpoint created',
  ])
  expect(events.find(({ event }) => event === 'stopping')).toEqual({
    id: expect.any(Number),
    at: service.clock.wall(),
    kind: 'scale',
    endpointId: 'e',
    workerId: worker.id,
    event: 'stopping',
    reason: 'stopped by a person',
  })
  expect(told(await listed(service, '?kinds=worker')).slice(-1)).toEqual(['worker idle'])
})

test('a worker that ends by itself is a crash with what it said last', async () => {
  const service = await setup()
  await service.createEndpoint()
  const worker = await service.worker()
  service.fleet().print(worker.id, 'KeyError: 1')
  service.fleet().end(worker.id, { code: 1 })
  await service.clock.until(async () => (await listed(service, '?kinds=crash')).length === 1)
  expect(await listed(service, '?kinds=crash')).toMatchObject([
    {
      kind: 'crash',
      endpointId: 'e',
      workerId: worker.id,
      event: 'ended',
      reason: 'KeyError: 1',
    },
  ])
})

test('a release that became active is told of each endpoint that it made or changed', async () => {
  const { service, deploy } = await setupReleases()
  await deploy({ greet: {} })
  await deploy({ greet: {} })
  await deploy({ greet: {} }, 'b')
  expect(await listed(service, '?kinds=release')).toMatchObject([
    { kind: 'release', endpointId: 'greet', event: 'activated', reason: 'release 3 of shop, production' },
    { kind: 'release', endpointId: 'greet', event: 'activated', reason: 'release 1 of shop, production' },
  ])
})

test('is narrowed by endpoint, kind and time, and read page by page', async () => {
  const service = await setup()
  for (const id of ['a', 'b', 'c']) {
    await service.createEndpoint(id, { workersMin: 0 })
    await service.clock.advance(1000)
  }
  const all = await listed(service, '?kinds=endpoint')
  expect(all.map(({ endpointId }) => endpointId)).toEqual(['c', 'b', 'a'])
  const [, second] = all
  expect(await listed(service, '?endpoint=b&kinds=endpoint')).toEqual([second])
  expect(await listed(service, `?kinds=endpoint&from=${second?.at}&to=${second?.at}`)).toEqual([second])
  expect(await listed(service, `?kinds=endpoint&before=${second?.id}`)).toEqual(all.slice(2))
  expect(await listed(service, '?kinds=endpoint&limit=1')).toEqual(all.slice(0, 1))
  const more = async (limit: number) => (await service.get(`/api/fleet-events?kinds=endpoint&limit=${limit}`)).more
  expect([await more(2), await more(3)]).toEqual([true, undefined])
})

test('a kind that there is not is refused with those that there are', async () => {
  const service = await setup()
  const { status, body } = await service.ask('GET', '/api/fleet-events?kinds=scale,nope')
  expect({ status, detail: body.detail }).toEqual({ status: 400, detail: expect.stringContaining('endpoint, release') })
  expect((await service.ask('GET', '/api/fleet-events?limit=0')).status).toBe(400)
})
