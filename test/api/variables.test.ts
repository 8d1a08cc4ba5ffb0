import { expect, test } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { appFolder, manifestOf } from '../support/app-folder.ts'
import { setup as setupService } from '../support/core.ts'
import type { TestWorker } from '../support/worker-client.ts'

const PLACE = '/api/apps/shop/environments/production'

/** A service with an environment, and an app whose one endpoint is greet. */
async function setup() {
  const service = await setupService()
  await service.post('/api/apps/shop/environments', { name: 'production' })
  const folder = appFolder(manifestOf({ greet: { env: { FROM_SOURCE: '1', TOKEN: 'of the source' } } }))
  const change = (body: object) => service.ask('PATCH', `${PLACE}/variables`, { body })
  /** Makes a release and lets its worker become ready. */
  async function release(source: object = { folder }, others: readonly TestWorker[] = []): Promise<TestWorker> {
    const { release: made } = await service.post(`${PLACE}/releases`, { source })
    const worker = await service.worker('greet', others)
    void worker.take().catch(() => undefined)
    await service.clock.until(async () => {
      const { state } = (await service.get(`${PLACE}/releases/${made.number}`)).release
      return state === 'active'
    })
    return worker
  }
  return { service, change, release }
}

test('a value goes in and is never shown, and workers get it', async () => {
  const { service, change, release } = await setup()
  const answer = await change({ set: { TOKEN: 'hunter22', MODE: 'fast' } })
  expect(answer.body).toEqual({
    changed: true,
    unreleased: false,
    variables: [
      { name: 'MODE', updatedAt: service.clock.wall() },
      { name: 'TOKEN', updatedAt: service.clock.wall() },
    ],
  })
  const worker = await release()
  expect(worker.spec.env).toMatchObject({ FROM_SOURCE: '1', TOKEN: 'hunter22', MODE: 'fast', SVC_ENV: 'production' })
  const shown = await Promise.all(
    [PLACE, '/api/apps', '/api/endpoints', '/api/endpoints/greet', `${PLACE}/releases/1`].map((path) =>
      service.get(path),
    ),
  )
  expect(JSON.stringify([answer.body, ...shown])).not.toContain('hunter22')
  expect(JSON.stringify(service.log)).not.toContain('hunter22')
})

test('a change reaches workers with the next release, which rolls like one of code', async () => {
  const { service, change, release } = await setup()
  await change({ set: { TOKEN: 'hunter22', GONE: 'soon gone' } })
  const old = await release()
  await change({ set: { TOKEN: 'hunter33' }, remove: ['GONE'] })
  expect((await service.get('/api/workers')).workers).toHaveLength(1)
  const next = await release({ active: true }, [old])
  expect(next.spec.env).toMatchObject({ TOKEN: 'hunter33' })
  expect(next.spec.env).not.toHaveProperty('GONE')
  expect((await service.get(PLACE)).variables).toMatchObject([{ name: 'TOKEN' }])
})

test('the same values make no new version, and tell whether workers have them', async () => {
  const { service, change, release } = await setup()
  const told = async (body: object) => {
    const { changed, unreleased } = (await change(body)).body
    return { changed, unreleased }
  }
  await change({ set: { TOKEN: 'hunter22', MODE: 'fast' } })
  await release()
  await service.clock.advance(1000)
  const before = (await service.get(PLACE)).variables
  expect(await told({ set: { TOKEN: 'hunter22' }, remove: ['NEVER'] })).toEqual({ changed: false, unreleased: false })
  expect((await service.get(PLACE)).variables).toEqual(before)
  expect(await told({ set: { TOKEN: 'hunter33' } })).toEqual({ changed: true, unreleased: true })
  expect(await told({ set: { TOKEN: 'hunter33' } })).toEqual({ changed: false, unreleased: true })
  expect(await told({ remove: ['MODE'] })).toEqual({ changed: true, unreleased: true })
})

test('a worker of the old release that starts again has the values of its release', async () => {
  const { service, change, release } = await setup()
  await change({ set: { TOKEN: 'hunter22' } })
  const old = await release()
  await change({ set: { TOKEN: 'hunter33' } })
  service.fleet().end(old.id, { code: 1 })
  await service.run({}, {}, 'greet')
  await service.clock.advance(60_000)
  const again = await service.worker('greet', [old])
  expect(again.spec.env).toMatchObject({ TOKEN: 'hunter22' })
})

test('values are masked in the lines that workers print, also those of before', async () => {
  const { service, change, release } = await setup()
  await change({ set: { TOKEN: 'hunter22', CERT: 'first line of it\nsecond line', ON: '1' } })
  const worker = await release()
  await change({ set: { TOKEN: 'hunter33' } })
  for (const line of ['connects with hunter22', 'and hunter33', 'cert: second line', 'on is 1'])
    service.fleet().print(worker.id, line)
  const lines = await service.clock.until(async () => {
    const page = await service.get('/api/endpoints/greet/logs')
    return page.lines.length === 4 ? page.lines.map(({ line }: { line: string }) => line) : undefined
  })
  expect(lines).toEqual(['connects with ***', 'and ***', 'cert: ***', 'on is 1'])
})

test('secrets among the variables of an endpoint are masked too, also those of before, and mere settings are not', async () => {
  const service = await setupService()
  const env = { HF_TOKEN: 'hunter22', DATABASE: 'postgres://ada:hunter44@db/x', MODEL: 'harbour-small', KEY: '1' }
  await service.createEndpoint('plain', { env })
  const worker = await service.worker('plain')
  await service.ask('PATCH', '/api/endpoints/plain', { body: { env: { ...env, HF_TOKEN: 'hunter33' } } })
  const next = await service.worker('plain', [worker])
  const printed = ['uses hunter22', 'or hunter33', 'on postgres://ada:hunter44@db/x', 'loads harbour-small', 'on is 1']
  for (const line of printed) service.fleet().print(next.id, line)
  const lines = await service.clock.until(async () => {
    const page = await service.get('/api/endpoints/plain/logs')
    return page.lines.length === 5 ? page.lines.map(({ line }: { line: string }) => line) : undefined
  })
  expect(lines).toEqual(['uses ***', 'or ***', 'on ***', 'loads harbour-small', 'on is 1'])
})

test('values that a worker dies with do not stand in the reason either', async () => {
  const { service, change, release } = await setup()
  await change({ set: { TOKEN: 'hunter22' } })
  const worker = await release()
  service.fleet().print(worker.id, 'ValueError: bad token hunter22')
  service.fleet().end(worker.id, { code: 1 })
  await service.run({}, {}, 'greet')
  const { waitingReason } = await service.clock.until(async () => {
    const endpoint = await service.get('/api/endpoints/greet')
    return endpoint.waitingReason === undefined ? undefined : endpoint
  })
  expect(waitingReason).toContain('bad token ***')
})

test('variables that the service sets itself, and names that are none, are refused', async () => {
  const { change } = await setup()
  for (const name of ['SVC_API_KEY', 'RUNPOD_POD_ID', '1A', 'A-B', ''])
    expect(await change({ set: { [name]: 'x' } }), name).toMatchObject({ status: 400, body: { code: 'BAD_FIELD' } })
})

test('the limit counts all variables of the environment, and those that are removed make room', async () => {
  const { service, change } = await setup()
  const many = (prefix: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, 'x']))
  expect((await change({ set: many('A', limit('variables')) })).status).toBe(200)
  const refused = await change({ set: many('B', 2), remove: ['A0'] })
  expect(refused).toMatchObject({ status: 400, body: { code: 'BAD_FIELD' } })
  expect(refused.body.error).toBe('set: the environment would have 1001 variables, and the limit is 1000.')
  expect((await service.get(PLACE)).variables).toHaveLength(limit('variables'))
  expect((await change({ set: many('B', 2), remove: ['A0', 'A1'] })).status).toBe(200)
  expect((await service.get(PLACE)).variables).toHaveLength(limit('variables'))
})

test('nothing is left of the values of an environment that was deleted', async () => {
  const { service, change } = await setup()
  await change({ set: { TOKEN: 'hunter22' } })
  await service.ask('DELETE', PLACE)
  expect(service.storage().secrets.scopes('variables/')).toEqual([])
})
