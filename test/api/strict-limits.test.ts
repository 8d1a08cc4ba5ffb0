import { describe, expect, it } from 'vitest'
import { STRICT_LIMITS } from '../../src-main/contract/limits.ts'
import { setup } from '../support/core.ts'
import { settle } from '../support/fake-clock.ts'
import type { TestWorker } from '../support/worker-client.ts'

const PATHS = {
  run: ['POST', '/v2/e/run'],
  runsync: ['POST', '/v2/e/runsync'],
  status: ['GET', '/v2/e/status/ID'],
  stream: ['GET', '/v2/e/stream/ID?wait=0'],
  cancel: ['POST', '/v2/e/cancel/ID'],
  'purge-queue': ['POST', '/v2/e/purge-queue'],
  requests: ['GET', '/v2/e/requests'],
} as const

async function strict() {
  const service = await setup({ settings: { strictLimits: true } })
  await service.createEndpoint('e', { workersMin: 0, workersMax: 1 })
  await service.post('/api/endpoints/e/pause')
  const id = await service.run()
  const send = (operation: keyof typeof PATHS, signal?: AbortSignal) => {
    const [method, path] = PATHS[operation]
    // An empty body is refused, and counted: the limit comes first.
    return service.request(method, path.replace('ID', id), signal === undefined ? {} : { signal })
  }
  return { ...service, id, send }
}

describe('strict limits', () => {
  for (const [name, { per10s }] of Object.entries(STRICT_LIMITS)) {
    const operation = name as keyof typeof PATHS
    it(`let ${per10s} of ${operation} through in 10 s and refuse the next with Retry-After`, async () => {
      const { send, clock, ask } = await strict()
      const used = operation === 'run' ? 1 : 0
      for (let n = used; n < per10s; n++) {
        const answer = await send(operation)
        if (answer.status === 429) expect(`${n + 1} of ${per10s}`).toBe('let through')
      }
      await clock.advance(2500)
      const refused = await send(operation)
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '8'])
      expect(((await refused.json()) as { error: string }).error).toContain(
        `${per10s} requests in 10 s for ${operation}`,
      )
      expect((await ask('GET', '/v2/e/health')).status).toBe(200)
      await clock.advance(7500)
      expect((await send(operation)).status).not.toBe(429)
    })
  }

  it('let 20 of cancel through at once and refuse the next', async () => {
    const { send, clock } = await strict()
    const answers = await Promise.all(Array.from({ length: 21 }, () => send('cancel')))
    expect(answers.map(({ status }) => status).filter((status) => status === 429)).toEqual([429])
    await clock.advance(0)
    expect((await send('cancel')).status).not.toBe(429)
  })

  it('let 400 of runsync wait at once and refuse the next', async () => {
    const { clock, request } = await strict()
    const body = { input: {} }
    const open = Array.from({ length: 400 }, () => request('POST', '/v2/e/runsync?wait=1000', { body }))
    await settle()
    const refused = await request('POST', '/v2/e/runsync?wait=1000', { body })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    await clock.leap(1000)
    expect(new Set((await Promise.all(open)).map(({ status }) => status))).toEqual(new Set([200]))
  })

  it('grow with the running workers: workers x base / 4 where that is larger', async () => {
    const { createEndpoint, worker, request, clock, fleet } = await setup({ settings: { strictLimits: true } })
    await createEndpoint('e', { workersMin: 8, workersMax: 8 })
    await clock.until(() => fleet().started.length === 8)
    const workers: TestWorker[] = []
    for (let n = 0; n < 8; n++) workers.push(await worker('e', workers))
    const away = new AbortController()
    const open = workers.map((one) => one.take({ signal: away.signal }))
    await settle()
    away.abort()
    await Promise.all(open)
    const answers = []
    for (let n = 0; n < 5; n++) answers.push((await request('POST', '/v2/e/purge-queue')).status)
    expect(answers).toEqual([200, 200, 200, 200, 429])
  })

  it('are counted for each endpoint on its own', async () => {
    const { createEndpoint, request } = await setup({ settings: { strictLimits: true } })
    await createEndpoint('e')
    await createEndpoint('other')
    const answers = []
    for (const id of ['e', 'e', 'e', 'other']) answers.push((await request('POST', `/v2/${id}/purge-queue`)).status)
    expect(answers).toEqual([200, 200, 429, 200])
  })

  it('are off by default', async () => {
    const { createEndpoint, request } = await setup()
    await createEndpoint()
    for (let n = 0; n < 5; n++) expect((await request('POST', '/v2/e/purge-queue')).status).toBe(200)
  })
})
