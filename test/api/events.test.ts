import { describe, expect, it } from 'vitest'
import { serviceEvent } from '../../src-main/contract/live.ts'
import { setup, type TestService } from '../support/core.ts'
import { settle } from '../support/fake-clock.ts'
import { type EventReader, readEvents, type SentEvent } from '../support/read-events.ts'

async function follow(
  { request }: TestService,
  headers: Record<string, string> = {},
  query = '',
): Promise<EventReader> {
  const response = await request('GET', `/events${query}`, { headers })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  const events = readEvents(response)
  await events.next()
  return events
}

const told = (events: readonly SentEvent[]) => events.map(({ data }) => JSON.parse(data ?? ''))

describe('/events', () => {
  it('tells of endpoints, workers and jobs in the order in which it happened', async () => {
    const service = await setup()
    const events = await follow(service)
    await service.createEndpoint()
    const { jobId, worker } = await service.running()
    await worker.done(jobId, { output: 1 })
    await service.post('/api/endpoints/e/pause')
    const seen = await events.next()
    for (const { data } of seen) serviceEvent.parse(JSON.parse(data ?? ''))
    expect(seen.map(({ event }) => event)).toEqual(told(seen).map(({ type }) => type))
    const place = { at: expect.any(Number), endpointId: 'e' }
    const ofJob = { ...place, type: 'job', jobId }
    const rows = told(seen)
    expect(rows.filter(({ type }) => type === 'job')).toEqual([
      { ...ofJob, event: 'submit', to: 'IN_QUEUE', attempt: 0 },
      { ...ofJob, event: 'claim', from: 'IN_QUEUE', to: 'IN_PROGRESS', attempt: 1, workerId: worker.id },
      { ...ofJob, event: 'complete', from: 'IN_PROGRESS', to: 'COMPLETED', attempt: 1, workerId: worker.id },
    ])
    expect(rows.filter(({ type }) => type === 'endpoint')).toEqual([
      { ...place, type: 'endpoint', event: 'created' },
      { ...place, type: 'endpoint', event: 'paused' },
    ])
    expect(rows.filter(({ type }) => type === 'worker').slice(0, 2)).toEqual([
      { ...place, type: 'worker', workerId: worker.id, to: 'initializing', reason: '1 job waits' },
      { ...place, type: 'worker', workerId: worker.id, to: 'idle' },
    ])
    const ids = seen.map(({ id }) => Number(id))
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    expect(new Set(ids).size).toBe(ids.length)
    await events.close()
  })

  it('continues after Last-Event-ID: nothing is missed and nothing told twice', async () => {
    const service = await setup()
    await service.createEndpoint('e', { workersMin: 0 })
    const first = await follow(service)
    const a = await service.run()
    const last = (await first.next()).at(-1)?.id ?? ''
    await first.close()
    const b = await service.run()
    const second = await follow(service, { 'last-event-id': last })
    await service.run()
    const all = await service.request('GET', '/events', { headers: { 'last-event-id': '0' } })
    const whole = readEvents(all)
    const jobs = told((await whole.next()).filter(({ event }) => event === 'job')).map(({ jobId }) => jobId)
    expect(jobs.slice(0, 2)).toEqual([a, b])
    expect(jobs.length).toBe(3)
    await second.close()
    await whole.close()
  })

  it('gives what was missed first, then what comes', async () => {
    const service = await setup()
    await service.createEndpoint('e', { workersMin: 0 })
    const last = service.storage().events.lastId()
    const missed = await service.run()
    const response = await service.request('GET', `/events?lastEventId=${last}`)
    const events = readEvents(response)
    expect(told(await events.next()).map(({ jobId }) => jobId)).toEqual([missed])
    const fresh = await service.run()
    expect(told(await events.next()).map(({ jobId }) => jobId)).toEqual([fresh])
    await events.close()
  })

  it('gives more than one batch of missed events', async () => {
    const service = await setup()
    await service.createEndpoint('e', { workersMin: 0 })
    await service.post('/api/endpoints/e/pause')
    const last = service.storage().events.lastId()
    const made = await Promise.all(Array.from({ length: 1201 }, () => service.run()))
    const events = readEvents(await service.request('GET', '/events', { headers: { 'last-event-id': String(last) } }))
    const seen: string[] = []
    await service.clock.until(async () => {
      seen.push(...told(await events.next()).map(({ jobId }) => jobId))
      return seen.length === made.length
    })
    expect(seen).toEqual(made)
    await events.close()
  })

  it('can be narrowed to an endpoint', async () => {
    const service = await setup()
    await service.createEndpoint('e', { workersMin: 0 })
    await service.createEndpoint('other', { workersMin: 0 })
    const events = await follow(service, {}, '?endpoint=other')
    await service.run()
    const id = await service.run({}, {}, 'other')
    expect(told(await events.next()).flatMap(({ jobId }) => jobId ?? [])).toEqual([id])
    await events.close()
  })

  it('says that it is still there, and ends when the service stops', async () => {
    const service = await setup()
    const events = await follow(service)
    await service.clock.advance(30_000)
    expect(events.comments()).toEqual(['connected', 'still here', 'still here'])
    expect(events.ended()).toBe(false)
    await service.restart('in order')
    await events.rest()
  })

  it('refuses an invalid Last-Event-ID', async () => {
    const { ask } = await setup()
    for (const id of ['x', '-1', '1.5'])
      expect((await ask('GET', '/events', { headers: { 'last-event-id': id } })).body).toMatchObject({
        code: 'BAD_FIELD',
        error: 'Last-Event-ID: must be the id of an event.',
      })
  })

  it('holds no listener of a reader that left', async () => {
    const service = await setup()
    const away = new AbortController()
    const response = await service.request('GET', '/events', { signal: away.signal })
    const events = readEvents(response)
    await events.next()
    away.abort()
    await settle()
    expect(events.ended()).toBe(true)
  })
})
