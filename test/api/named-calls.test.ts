import { expect, test } from 'vitest'
import { setup as setupService } from '../support/core.ts'
import { deployApp } from '../support/deployed-app.ts'

const HEADERS = { 'x-flash-app': 'shop', 'x-flash-environment': 'production', 'x-flash-endpoint': 'greet' }

/** A service with shop/production/greet, asked by its name and by its id. */
async function setup() {
  const service = await setupService()
  await deployApp(service, { resources: { greet: {} } })
  const worker = await service.worker('greet')
  const send = async (method: string, base: string, path: string, body?: unknown, headers = {}) => {
    const answer = await service.ask(method, `/v2/${base}${path}`, { body, headers })
    return { status: answer.status, body: answer.body }
  }
  const byName = (method: string, path: string, body?: unknown) => send(method, 'flash', path, body, HEADERS)
  const byId = (method: string, path: string, body?: unknown) => send(method, 'greet', path, body)
  const submit = async (): Promise<string> => (await byName('POST', '/run', { input: { n: 1 } })).body.id
  return { service, worker, send, byName, byId, submit }
}

test('a job that was submitted by name runs on the endpoint, and both tell the same of it', async () => {
  const { worker, byName, byId, submit } = await setup()
  const id = await submit()
  expect((await byId('GET', `/status/${id}`)).body).toMatchObject({ id, status: 'IN_QUEUE' })
  expect((await worker.take())?.input).toEqual({ n: 1 })
  await worker.chunk(id, { output: 'first' })
  expect(await byName('GET', `/stream/${id}`)).toMatchObject({ status: 200, body: [{ output: 'first' }] })
  await worker.done(id, { output: 'all' })
  const byStatus = await byName('GET', `/status/${id}`)
  expect(byStatus).toMatchObject({ status: 200, body: { id, status: 'COMPLETED', output: 'all' } })
  expect(await byId('GET', `/status/${id}`)).toEqual(byStatus)
  expect(await byName('GET', `/status-sync/${id}`)).toEqual(await byId('GET', `/status-sync/${id}`))
})

test('a job is cancelled and retried by name', async () => {
  const { service, worker, byName, submit } = await setup()
  const id = await submit()
  expect(await byName('POST', `/cancel/${id}`)).toEqual({ status: 200, body: { id, status: 'CANCELLED' } })
  const failing = await submit()
  expect((await worker.take())?.id).toBe(failing)
  await worker.done(failing, { error: 'no luck' })
  await service.waitForJob(failing, 'FAILED', 'greet')
  expect(await byName('POST', `/retry/${failing}`)).toMatchObject({ status: 200, body: { status: 'IN_QUEUE' } })
})

test('a queue is emptied and its health is read by name', async () => {
  const { byName, byId, submit } = await setup()
  await submit()
  await submit()
  const health = await byName('GET', '/health')
  expect(health).toMatchObject({ status: 200, body: { jobs: { inQueue: 2 } } })
  expect(await byId('GET', '/health')).toEqual(health)
  expect(await byName('POST', '/purge-queue')).toMatchObject({ status: 200, body: { removed: 2 } })
  expect((await byId('GET', '/health')).body.jobs.inQueue).toBe(0)
})

test('a job of another endpoint is not found by this name', async () => {
  const { service, byName, byId } = await setup()
  await service.createEndpoint('other')
  const id = await service.run({}, {}, 'other')
  const answer = await byName('GET', `/status/${id}`)
  expect(answer.status).toBe(404)
  expect(await byId('GET', `/status/${id}`)).toEqual(answer)
  expect(await byName('POST', `/cancel/${id}`)).toMatchObject({ status: 404 })
})

test.each([
  ['POST', '/run'],
  ['GET', '/status/x'],
  ['GET', '/stream/x'],
  ['POST', '/cancel/x'],
  ['POST', '/retry/x'],
  ['POST', '/purge-queue'],
  ['GET', '/health'],
])('%s %s needs the headers and a key', async (method, path) => {
  const { service, send } = await setup()
  const body = method === 'POST' ? { input: {} } : undefined
  expect(await send(method, 'flash', path, body)).toMatchObject({ status: 404, body: { code: 'ENDPOINT_NOT_FOUND' } })
  const nowhere = { ...HEADERS, 'x-flash-endpoint': 'nope' }
  expect(await send(method, 'flash', path, body, nowhere)).toMatchObject({
    status: 404,
    body: { code: 'NOT_DEPLOYED' },
  })
  const asGuest = await service.ask(method, `/v2/flash${path}`, { key: null, body, headers: HEADERS })
  expect(asGuest).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } })
})

test('the token of a worker calls by name what is in its own app and environment, and nothing else', async () => {
  const service = await setupService()
  await deployApp(service, { resources: { greet: { makesRemoteCalls: true } } })
  await deployApp(service, { resources: { greet: {} }, app: 'blog', idPrefix: 'blog-' })
  await deployApp(service, { resources: { greet: {} }, environment: 'trial', idPrefix: 'trial-' })
  const key = (await service.worker('greet')).spec.env.RUNPOD_AI_API_KEY ?? ''
  const call = async (changed: object) => {
    const options = { key, body: { input: {} }, headers: { ...HEADERS, ...changed } }
    const { status, body } = await service.ask('POST', '/v2/flash/run', options)
    return [status, body.code]
  }
  expect(await call({})).toEqual([200, undefined])
  expect(await call({ 'x-flash-app': 'blog' })).toEqual([401, 'UNAUTHORIZED'])
  expect(await call({ 'x-flash-environment': 'trial' })).toEqual([401, 'UNAUTHORIZED'])
  expect(await call({ 'x-flash-app': 'nope' })).toEqual([401, 'UNAUTHORIZED'])
})
