import { expect, test } from 'vitest'
import { setup } from '../support/core.ts'
import { readEvents } from '../support/read-events.ts'

test('the usage of workers is read on request, of one endpoint or of all', async () => {
  const service = await setup()
  await service.createEndpoint('a')
  await service.createEndpoint('b')
  const [a, b] = [await service.worker('a'), await service.worker('b')]
  expect(await service.get('/api/workers/usage?endpoint=a')).toEqual({
    at: expect.any(Number),
    workers: [{ workerId: a.id, endpointId: 'a', memoryBytes: 1000 }],
  })
  expect(
    (await service.get('/api/workers/usage')).workers.map(({ workerId }: { workerId: string }) => workerId),
  ).toEqual([a.id, b.id])
  expect(service.fleet().usageReadings).toBe(2)
})

test('readings come every 2 s while somebody follows them, and none when nobody does', async () => {
  const service = await setup()
  await service.createEndpoint('a')
  await service.worker('a')
  const leaving = new AbortController()
  const response = await service.request('GET', '/api/workers/usage?follow=true', { signal: leaving.signal })
  const events = readEvents(response)
  const first = await service.clock.until(async () => (await events.next())[0] ?? false)
  expect(first.event).toBe('usage')
  await service.clock.advance(2000)
  await service.clock.advance(2000)
  expect(service.fleet().usageReadings).toBe(3)
  leaving.abort()
  await service.clock.advance(2000)
  await service.clock.advance(10_000)
  expect(service.fleet().usageReadings).toBeLessThanOrEqual(4)
})

test('a client that comes back first gets the readings of the last minutes that it has not seen', async () => {
  const service = await setup()
  await service.createEndpoint('a')
  await service.worker('a')
  const follow = async (query: string) => {
    const leaving = new AbortController()
    const path = `/api/workers/usage?follow=true${query}`
    const events = readEvents(await service.request('GET', path, { signal: leaving.signal }))
    return { leave: () => leaving.abort(), ids: async () => (await events.next()).map(({ id }) => Number(id)) }
  }
  const first = await follow('')
  for (let n = 0; n < 3; n += 1) await service.clock.advance(2000)
  const seen = await first.ids()
  expect(seen.length).toBeGreaterThanOrEqual(3)
  first.leave()
  await service.clock.advance(2000)
  const again = await follow(`&after=${seen[0]}`)
  expect((await again.ids()).slice(0, seen.length - 1)).toEqual(seen.slice(1))
  again.leave()
  await service.clock.advance(181_000)
  const late = await follow('&after=0')
  await service.clock.advance(2000)
  for (const id of await late.ids()) expect(seen).not.toContain(id)
})
