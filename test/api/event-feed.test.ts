import { describe, expect, it } from 'vitest'
import type { Storage } from '../../src-main/storage/storage.ts'
import { setup, type TestService } from '../support/core.ts'
import { type EventReader, readEvents } from '../support/read-events.ts'

// More than what is held of the newest events, in texts of 20 KB.
const MANY = 100
const LONG = 'x'.repeat(20_000)
// One chunk and the event that fills it.
const MOST_CHUNK_BYTES = 16_384 + 21_000

/**
 * A service with an endpoint without workers. `reads` counts how often the log of events is read; while `disk` is held,
 * nothing is on it.
 */
async function listening() {
  const reads = { count: 0 }
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let free: Promise<void> | undefined
  const hold = () => {
    free = released
  }
  const counted = (storage: Storage): Storage => ({
    ...storage,
    durable: async () => void (await Promise.all([free, storage.durable()])),
    onDurable: (listener) =>
      storage.onDurable((changes) => {
        if (free === undefined) listener(changes)
        else void free.then(() => listener(changes))
      }),
    events: {
      ...storage.events,
      after(id, limit) {
        reads.count += 1
        return storage.events.after(id, limit)
      },
    },
  })
  const service = await setup({ storage: counted })
  await service.createEndpoint('e', { workersMin: 0 })
  await service.post('/api/endpoints/e/pause')
  return { service, reads, disk: { hold, release } }
}

const listen = async ({ request }: TestService, query = '', headers: Record<string, string> = {}) =>
  request('GET', `/events${query}`, { headers })

/** Records events at an endpoint, each in a commit of its own. */
async function record(service: TestService, count: number, reason = '', endpointId = 'e'): Promise<void> {
  const storage = service.storage()
  const now = service.clock.wall()
  for (let n = 0; n < count; n++)
    await storage.write(() => storage.events.recordActivation(endpointId, `${n} ${reason}`, now))
}

/** Reads until the event with this id has come; gives all ids in the order in which they came. */
async function idsUpTo(service: TestService, events: EventReader, last: number): Promise<readonly number[]> {
  const ids: number[] = []
  await service.clock.until(async () => {
    ids.push(...(await events.next()).map(({ id }) => Number(id)))
    return (ids.at(-1) ?? 0) >= last
  })
  return ids
}

const idsAfter = (service: TestService, id: number) =>
  service
    .storage()
    .events.after(id, 10_000)
    .map(({ eventId }) => eventId)

describe('listeners of /events', () => {
  it('that are up to date are all sent the same, and nobody reads it from the log', async () => {
    const { service, reads } = await listening()
    const start = service.storage().events.lastId()
    const all = await Promise.all(Array.from({ length: 60 }, async () => readEvents(await listen(service))))
    for (const events of all) await events.next()
    reads.count = 0
    await record(service, 20)
    await service.run()
    const last = service.storage().events.lastId()
    for (const events of all) await idsUpTo(service, events, last)
    expect(reads.count).toBe(0)
    const [first = '', ...others] = all.map((events) => events.text())
    expect(new Set(others)).toEqual(new Set([first]))
    expect([...first.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))).toEqual(idsAfter(service, start))
    for (const events of all) await events.close()
  })

  it('that read slowly miss nothing and are told nothing twice, and hold up nobody', async () => {
    const { service } = await listening()
    const start = service.storage().events.lastId()
    const slow = await listen(service)
    const quick = readEvents(await listen(service))
    await record(service, MANY, LONG)
    const last = service.storage().events.lastId()
    expect(await idsUpTo(service, quick, last)).toEqual(idsAfter(service, start))
    const events = readEvents(slow)
    await record(service, 3)
    const ids = await idsUpTo(service, events, last + 3)
    await record(service, 3)
    expect([...ids, ...(await idsUpTo(service, events, last + 6))]).toEqual(idsAfter(service, start))
    await Promise.all([events.close(), quick.close()])
  })

  it('that do not read hold no more than a chunk', async () => {
    const { service, reads } = await listening()
    const behind = await listen(service, '', { 'last-event-id': '0' })
    const late = await listen(service)
    await record(service, MANY, LONG)
    await service.clock.advance(60_000)
    expect(reads.count).toBe(0)
    for (const { body } of [behind, late]) {
      const reader = body?.getReader()
      await reader?.read() // what says that it is connected
      const { value } = (await reader?.read()) ?? {}
      expect(value?.length).toBeGreaterThan(0)
      expect(value?.length).toBeLessThan(MOST_CHUNK_BYTES)
      await reader?.cancel()
    }
  })

  it('of one endpoint pass over all that happened elsewhere, newest and long ago', async () => {
    const { service } = await listening()
    await service.createEndpoint('other', { workersMin: 0 })
    const start = service.storage().events.lastId()
    const query = '?endpoint=other'
    const now = readEvents(await listen(service, query))
    await now.next()
    await record(service, MANY, LONG)
    await record(service, 1, '', 'other')
    const last = service.storage().events.lastId()
    expect(await idsUpTo(service, now, last)).toEqual([last])
    const behind = readEvents(await listen(service, query, { 'last-event-id': String(start) }))
    expect(await idsUpTo(service, behind, last)).toEqual([last])
    await Promise.all([now.close(), behind.close()])
  })

  it('hear of nothing before it is on the disk', async () => {
    const { service, disk } = await listening()
    const last = service.storage().events.lastId()
    const now = readEvents(await listen(service))
    await now.next()
    disk.hold()
    await record(service, 2)
    const behind = readEvents(await listen(service, `?lastEventId=${last - 1}`))
    await service.clock.advance(1000)
    expect([await now.next(), await behind.next()]).toEqual([[], []])
    disk.release()
    expect(await idsUpTo(service, now, last + 2)).toEqual([last + 1, last + 2])
    expect(await idsUpTo(service, behind, last + 2)).toEqual([last, last + 1, last + 2])
    await Promise.all([now.close(), behind.close()])
  })

  it('that come after a time without any read the log up to the newest', async () => {
    const { service } = await listening()
    const start = service.storage().events.lastId()
    const first = readEvents(await listen(service))
    await first.next()
    await record(service, 2)
    await first.close()
    await record(service, 250)
    const again = readEvents(await listen(service, `?lastEventId=${start}`))
    await record(service, 2)
    expect(await idsUpTo(service, again, start + 254)).toEqual(idsAfter(service, start))
    await again.close()
  })
})
