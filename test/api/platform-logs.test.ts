import { describe, expect, it } from 'vitest'
import { setup } from '../support/core.ts'
import { settle } from '../support/fake-clock.ts'
import { readEvents } from '../support/read-events.ts'

async function printing(...lines: readonly string[]) {
  const service = await setup()
  await service.createEndpoint()
  const worker = await service.worker()
  for (const line of lines) {
    service.fleet().print(worker.id, line)
    await settle()
    await service.clock.advance(1000)
  }
  const path = `/v2/serverless/e/workers/${worker.id}/logs`
  return { service, worker, path }
}

const linesIn = (events: readonly { readonly data?: string }[]) =>
  events.map(({ data = '' }) => JSON.parse(data) as { source: string; line: string; ts: string })

describe('the lines of a worker', () => {
  it('come as server-sent events, and go on', async () => {
    const { service, worker, path } = await printing('one', 'two')
    const response = await service.request('GET', `${path}?source=container&tail=1000`)
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const reader = readEvents(response)
    const first = linesIn(await reader.next())
    expect(first.map(({ source, line }) => `${source} ${line}`)).toEqual(['container one', 'container two'])
    expect(first[0]?.ts).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
    service.fleet().print(worker.id, 'three')
    await settle()
    expect(linesIn(await reader.next())).toMatchObject([{ source: 'container', line: 'three' }])
    await reader.close()
  })

  it.each([
    ['tail=1', ['two']],
    ['tail=0', []],
    ['tail=3', ['one', 'two']],
  ])('begin as asked: %s', async (query, wanted) => {
    const { service, path } = await printing('one', 'two')
    const reader = readEvents(await service.request('GET', `${path}?source=container&${query}`))
    expect(linesIn(await reader.next()).map(({ line }) => line)).toEqual(wanted)
    await reader.close()
  })

  it('begin at a time, also of the last event that came', async () => {
    const { service, path } = await printing('one', 'two')
    const all = readEvents(await service.request('GET', `${path}?source=container`))
    const [, second] = linesIn(await all.next())
    await all.close()
    const since = encodeURIComponent(second?.ts ?? '')
    for (const [address, headers] of [
      [`${path}?source=container&since=${since}`, {}],
      [`${path}?source=container`, { 'last-event-id': second?.ts ?? '' }],
    ] as const) {
      const reader = readEvents(await service.request('GET', address, { headers }))
      expect(linesIn(await reader.next()).map(({ line }) => line)).toEqual(['two'])
      await reader.close()
    }
  })

  it('of the system are what happened to the worker', async () => {
    const { service, path } = await printing('one')
    const reader = readEvents(await service.request('GET', `${path}?source=system`))
    const lines = linesIn(await reader.next())
    expect(lines[0]).toMatchObject({ source: 'system', line: expect.stringMatching(/^worker initializing/) })
    expect(lines.every(({ source }) => source === 'system')).toBe(true)
    await reader.close()
  })

  it('end with their worker', async () => {
    const { service, worker, path } = await printing('one')
    await service.ask('PATCH', '/api/endpoints/e', { body: { workersMin: 0, workersMax: 0 } })
    const reader = readEvents(await service.request('GET', `${path}?source=container`))
    await settle()
    service.fleet().end(worker.id, { code: 0 })
    await service.clock.advance(31_000)
    await service.clock.until(() => reader.ended())
    expect(linesIn(await reader.rest())).toMatchObject([{ line: 'one' }])
  })

  it('are given at once to the host of logs, with their times', async () => {
    const { service, worker } = await printing('one', 'two')
    const page = await service.get(`/v1/pod/${worker.id}/logs?type=container`)
    expect(page).toEqual({ container: [expect.stringMatching(/^\d{4}-\S+Z one$/), expect.any(String)], system: [] })
    const all = await service.get(`/v1/pod/${worker.id}/logs`)
    expect(all.system.length).toBeGreaterThan(0)
    const reader = readEvents(await service.request('GET', `/v1/pod/${worker.id}/logs?stream=true&type=all&tail=100`))
    expect(linesIn(await reader.next()).map(({ line }) => line)).toEqual(expect.arrayContaining(['one', 'two']))
    await reader.close()
  })

  it('come also at the address of a pod, which a worker is to some clients', async () => {
    const { service, worker } = await printing('one', 'two')
    const reader = readEvents(await service.request('GET', `/v2/pods/${worker.id}/logs?source=container&tail=1`))
    expect(linesIn(await reader.next())).toMatchObject([{ source: 'container', line: 'two' }])
    await reader.close()
  })

  it('of a worker of another endpoint are not found', async () => {
    const { service, worker } = await printing('one')
    await service.createEndpoint('other')
    expect((await service.ask('GET', `/v2/serverless/other/workers/${worker.id}/logs`)).status).toBe(404)
    expect((await service.ask('GET', '/v1/pod/nobody/logs')).status).toBe(404)
  })
})
