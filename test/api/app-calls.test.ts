import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { setup as setupService, type TestService } from '../support/core.ts'
import { type AppToDeploy, deployApp } from '../support/deployed-app.ts'
import { openProxy, openWorker, readyWorker } from '../support/proxied.ts'
import type { TestWorker } from '../support/worker-client.ts'

const CALLS = { makesRemoteCalls: true }
const BODY = { input: {} }

/** shop/production with `front`, which calls `back`; shop/test and blog/production; and `alone` in no app. */
async function setup(options: Parameters<typeof setupService>[0] = {}) {
  const service = await setupService(options)
  const deploy = (wanted: AppToDeploy) => deployApp(service, wanted)
  const keys = await deploy({ resources: { front: CALLS, back: {} } })
  await deploy({ environment: 'test', resources: { back: CALLS }, idPrefix: 'test-' })
  await deploy({ app: 'blog', resources: { back: CALLS }, idPrefix: 'blog-' })
  const aloneKey = await service.createEndpoint('alone', { callsOthers: true })
  const front = await service.worker('front')
  return { service, keys, aloneKey, front, token: tokenOf(front) }
}

const tokenOf = (worker: TestWorker) => worker.spec.env.RUNPOD_AI_API_KEY ?? ''

/** How a key is answered: 200, or status and code. */
async function answerTo(service: TestService, key: string, path: string, method = 'GET') {
  const { status, body } = await service.ask(method, path, { key, ...(method === 'GET' ? {} : { body: BODY }) })
  return status === 200 ? 200 : `${status} ${body.code}`
}

describe('a worker that calls others', () => {
  it('gets its own token as its key in an app, and the account key in none', async () => {
    const { service, front, token } = await setup()
    expect(front.spec.env).toMatchObject({ SVC_API_KEY: token, RUNPOD_API_KEY: token })
    expect(front.spec.env).toMatchObject({ FLASH_APP: 'shop', FLASH_ENV: 'production' })
    expect(token).toMatch(/^dk_/)
    const alone = await service.worker('alone')
    expect(alone.spec.env).toMatchObject({ SVC_API_KEY: service.accountKey(), RUNPOD_API_KEY: service.accountKey() })
  })

  it('reaches the endpoints of its environment, itself included, with every operation', async () => {
    const { service, token } = await setup()
    const back = await service.worker('back')
    const answer = service.ask('POST', '/v2/back/runsync', { key: token, body: { input: { n: 1 } } })
    const job = await back.take()
    expect(job?.input).toEqual({ n: 1 })
    await back.done(job?.id ?? '', { output: 2 })
    expect((await answer).body).toMatchObject({ status: 'COMPLETED', output: 2 })
    expect(await answerTo(service, token, `/v2/back/status/${job?.id}`)).toBe(200)
    expect(await answerTo(service, token, '/v2/back/health')).toBe(200)
    expect(await answerTo(service, token, '/v2/front/run', 'POST')).toBe(200)
  })

  it('reaches nothing else, and learns nothing of what is there', async () => {
    const { service, token } = await setup()
    for (const endpoint of ['test-back', 'blog-back', 'alone', 'nope'])
      expect(await answerTo(service, token, `/v2/${endpoint}/run`, 'POST')).toBe('401 UNAUTHORIZED')
    expect(service.storage().jobs.newestSeq()).toBe(0)
  })

  it('is refused by the management, the events and the description of the API', async () => {
    const { service, token } = await setup()
    for (const path of ['/api/endpoints', '/api/apps', '/api/settings', '/events', '/openapi.json', '/v2/serverless'])
      expect(await answerTo(service, token, path)).toBe('403 FORBIDDEN_KEY')
    expect(await answerTo(service, token, '/api/apps/shop/environments/test/undeploy', 'POST')).toBe(
      '403 FORBIDDEN_KEY',
    )
  })

  it('calls while it is staged, before its endpoint is there', async () => {
    const { service } = await setup()
    const front = service.storage().endpoints.get('front')
    if (front === undefined) throw new Error('there is no endpoint front')
    const { config } = front
    const app = config.app && { ...config.app, resource: 'next' }
    const next = { ...front, id: 'next', config: { ...config, name: 'next', app } }
    const staged = service.service().supervisor.stage(next, { pool: 'main', because: 'a test', signal: undefined })
    staged.catch(() => undefined) // it ends with the service, not ready
    const worker = await service.worker('next')
    expect(await answerTo(service, tokenOf(worker), '/v2/back/health')).toBe(200)
    expect(await answerTo(service, tokenOf(worker), '/v2/next/health')).toBe('401 UNAUTHORIZED')
    expect(await answerTo(service, tokenOf(worker), '/v2/test-back/health')).toBe('401 UNAUTHORIZED')
  })

  it('calls no more when it has ended', async () => {
    const { service, front, token } = await setup()
    expect(await answerTo(service, token, '/v2/back/health')).toBe(200)
    service.fleet().end(front.id, { code: 0 })
    expect(await answerTo(service, token, '/v2/back/health')).toBe('401 UNAUTHORIZED')
    expect(await answerTo(service, token, '/api/endpoints')).toBe('401 UNAUTHORIZED')
  })

  it('keeps calling after a crash of the service', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-calls-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { service, token } = await setup({ file: join(folder, 'drydock.db') })
    await service.restart('killed')
    expect(await answerTo(service, token, '/v2/back/health')).toBe(200)
    expect(await answerTo(service, token, '/v2/blog-back/health')).toBe('401 UNAUTHORIZED')
  })

  it('reaches a load-balanced endpoint of its environment', async () => {
    const { service, token } = await setup()
    const port = await openWorker((_incoming, response) => response.end('hello'))
    const web = { resources: { web: { is_load_balanced: true } }, settings: { loadBalanced: { port } } }
    await deployApp(service, web)
    await deployApp(service, { ...web, environment: 'test', idPrefix: 'test-' })
    const { send } = await openProxy(service)
    await readyWorker(service)
    const headers = { authorization: `Bearer ${token}` }
    const answer = await send('/lb/web/x', { headers })
    expect({ status: answer.status, body: answer.text }).toEqual({ status: 200, body: 'hello' })
    expect((await send('/lb/test-web/x', { headers })).status).toBe(401)
  })
})

describe('a worker of no app on another machine that calls others', () => {
  it('gets its own token too, which opens the endpoints of no app and nothing else', async () => {
    const { service } = await setup({ isElsewhere: true })
    const alone = await service.worker('alone')
    expect(alone.spec.env).toMatchObject({ SVC_API_KEY: tokenOf(alone), RUNPOD_API_KEY: tokenOf(alone) })
    expect(Object.values(alone.spec.env)).not.toContain(service.accountKey())
    expect(await answerTo(service, tokenOf(alone), '/v2/alone/health')).toBe(200)
    for (const endpoint of ['back', 'front', 'test-back', 'nope'])
      expect(await answerTo(service, tokenOf(alone), `/v2/${endpoint}/run`, 'POST')).toBe('401 UNAUTHORIZED')
    for (const path of ['/api/endpoints', '/api/settings', '/events'])
      expect(await answerTo(service, tokenOf(alone), path)).toBe('403 FORBIDDEN_KEY')
    expect(
      await service.ask('POST', '/graphql', { key: tokenOf(alone), body: { query: '{ apps { name } }' } }),
    ).toMatchObject({ status: 200, body: { data: { apps: [] } } })
  })
})

describe('a worker that does not call others', () => {
  it('has a token for the worker protocol alone', async () => {
    const { service } = await setup()
    const back = await service.worker('back')
    expect(back.spec.env.SVC_API_KEY).toBeUndefined()
    expect(await answerTo(service, tokenOf(back), '/v2/front/health')).toBe('401 UNAUTHORIZED')
    expect(await answerTo(service, tokenOf(await service.worker('alone')), '/v2/back/health')).toBe('401 UNAUTHORIZED')
  })
})

describe('a request of the public app SDK to a load-balanced endpoint', () => {
  const named = (name: string, environment = 'production') => ({
    'x-flash-app': 'shop',
    'x-flash-environment': environment,
    'x-flash-endpoint': name,
  })

  async function web() {
    const { service, token } = await setup()
    const port = await openWorker((incoming, response) => response.end(`${incoming.method} ${incoming.url}`))
    await deployApp(service, { resources: { web: { is_load_balanced: true } }, settings: { loadBalanced: { port } } })
    await readyWorker(service)
    const { send } = await openProxy(service)
    return { service, token, send }
  }

  it('reaches it by name under the host flash, and below /lb/flash, and by its id', async () => {
    const { token, send } = await web()
    for (const [path, host, headers] of [
      ['/api/x?y=1', 'flash.localhost:8790', named('web')],
      ['/lb/flash/api/x?y=1', '127.0.0.1:8790', named('web')],
      ['/api/x?y=1', 'web.localhost:8790', {}],
    ] as const) {
      const answer = await send(path, { method: 'POST', headers: { host, ...headers } })
      expect([answer.status, answer.text]).toEqual([200, 'POST /api/x?y=1'])
    }
    // A worker of the same environment may ask with its own token.
    const headers = { host: 'flash.localhost:8790', authorization: `Bearer ${token}`, ...named('web') }
    expect((await send('/x', { headers })).status).toBe(200)
  })

  it('is refused by name as by id: without a key, for what does not exist, of another environment, for jobs', async () => {
    const { token, send } = await web()
    const host = 'flash.localhost:8790'
    const code = async (headers: object, key?: null) => {
      const answer = await send('/x', { headers: { host, ...headers }, ...(key === null ? { key } : {}) })
      return `${answer.status} ${answer.json().code}`
    }
    const asWorker = { authorization: `Bearer ${token}` }
    expect(await code(named('web'), null)).toBe('401 UNAUTHORIZED')
    expect(await code(named('nope'), null)).toBe('401 UNAUTHORIZED')
    expect(await code(named('nope'))).toBe('404 NOT_DEPLOYED')
    expect(await code({ ...named('web'), 'x-flash-app': '' })).toBe('400 BAD_FIELD')
    expect(await code({ ...named('back', 'test'), ...asWorker })).toBe('401 UNAUTHORIZED')
    expect(await code(named('back'))).toBe('400 NOT_LOAD_BALANCED')
    expect(await code({})).toBe('404 ENDPOINT_NOT_FOUND')
    expect(await code({ ...named('web'), origin: 'http://evil.example' })).toBe('403 FORBIDDEN_ORIGIN')
  })
})

describe('the call of the public app SDK', () => {
  const CALL = '/v2/flash/runsync'
  const named = (name: string, environment = 'production', app = 'shop') => ({
    'x-flash-app': app,
    'x-flash-environment': environment,
    'x-flash-endpoint': name,
  })
  const callWith = async (service: TestService, headers: Record<string, string>, key = service.accountKey()) => {
    const { status, body } = await service.ask('POST', `${CALL}?wait=1000`, { key, body: BODY, headers })
    return { status, code: body.code, error: body.error }
  }

  it('runs a job on the endpoint that its headers name, by function or by its own name', async () => {
    const { service, token } = await setup()
    const hello = { name: 'hello', module: 'worker', is_async: false, is_generator: false, is_class: false }
    await deployApp(service, { resources: { back: { functions: [hello] } } })
    const back = await service.worker('back')
    for (const [key, name] of [
      [service.accountKey(), 'hello'],
      [token, 'back'],
    ] as const) {
      const answer = service.ask('POST', CALL, { key, headers: named(name), body: { input: { name: 'x' } } })
      const job = await back.take()
      await back.done(job?.id ?? '', { output: 'done' })
      const { status, body } = await answer
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { id: job?.id, status: 'COMPLETED', output: 'done' },
      })
      expect(job?.input).toEqual({ name: 'x' })
    }
  })

  it('is bound by what bounds runsync', async () => {
    const { service } = await setup()
    const ask = (path: string, body: unknown) => service.ask('POST', path, { headers: named('back'), body })
    expect((await ask(`${CALL}?wait=5`, BODY)).body).toMatchObject({ code: 'BAD_FIELD' })
    expect((await ask(CALL, { input: {}, policy: 1 })).body).toMatchObject({ code: 'BAD_FIELD' })
    const large = service.ask('POST', CALL, { headers: { ...named('back'), 'content-length': '99999999' }, body: '{}' })
    expect((await large).body).toMatchObject({ code: 'BODY_TOO_LARGE' })
    await service.ask('PATCH', '/api/endpoints/back', { body: { workersMin: 0, workersMax: 0 } })
    expect((await ask(CALL, BODY)).body).toMatchObject({ code: 'ENDPOINT_PAUSED' })
  })

  it('says what is not deployed, and what to do', async () => {
    const { service, token } = await setup()
    const message =
      'Endpoint nope not found in app shop, environment production: run `drydock deploy` in its project, or check the names.'
    for (const key of [service.accountKey(), token])
      expect(await callWith(service, named('nope'), key)).toEqual({ status: 404, code: 'NOT_DEPLOYED', error: message })
    for (const headers of [named('back', 'nope'), named('back', 'production', 'nope'), named('alone')])
      expect(await callWith(service, headers)).toMatchObject({ status: 404, code: 'NOT_DEPLOYED' })
  })

  it('opens no more than the key does', async () => {
    const { service, token, keys, aloneKey } = await setup()
    for (const headers of [named('back', 'test'), named('back', 'production', 'blog'), named('nope', 'test')])
      expect(await callWith(service, headers, token)).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
    expect(await callWith(service, named('front'), keys.back)).toMatchObject({ status: 401 })
    expect(await callWith(service, named('back'), aloneKey)).toMatchObject({ status: 401 })
    expect(await callWith(service, named('back'), 'wrong')).toMatchObject({ status: 401 })
    expect(service.storage().jobs.newestSeq()).toBe(0)
    const answer = service.ask('POST', CALL, { headers: named('back'), key: keys.back ?? '', body: BODY })
    const back = await service.worker('back')
    await back.done((await back.take())?.id ?? '', { output: 1 })
    expect((await answer).status).toBe(200)
  })

  it('needs all three headers', async () => {
    const { service } = await setup()
    const { 'x-flash-environment': _left, ...some } = named('back')
    expect(await callWith(service, some)).toEqual({
      status: 400,
      code: 'BAD_FIELD',
      error: 'X-Flash-Environment: must be a name of at most 255 bytes.',
    })
    expect(await callWith(service, named('x'.repeat(256)))).toMatchObject({ code: 'BAD_FIELD' })
    expect(await callWith(service, named('x'.repeat(255)))).toMatchObject({ code: 'NOT_DEPLOYED' })
  })

  it('names apps in any language', async () => {
    const { service } = await setup()
    await deployApp(service, { app: 'Größe', resources: { back: {} }, idPrefix: 'big-' })
    await service.ask('PATCH', '/api/endpoints/big-back', { body: { workersMin: 0, workersMax: 0 } })
    const asUtf8 = Buffer.from('Größe').toString('latin1')
    for (const app of [asUtf8, 'Größe'])
      expect(await callWith(service, named('back', 'production', app))).toMatchObject({ code: 'ENDPOINT_PAUSED' })
  })

  it('to a load-balanced endpoint is refused with its address', async () => {
    const { service } = await setup()
    await deployApp(service, {
      resources: { web: { is_load_balanced: true } },
      settings: { loadBalanced: { port: 1 } },
    })
    expect(await callWith(service, named('web'))).toMatchObject({ status: 400, code: 'NOT_QUEUE_BASED' })
  })

  it('without the headers is one to an endpoint of that id', async () => {
    const { service, token } = await setup()
    expect(await callWith(service, {})).toMatchObject({ status: 404, code: 'ENDPOINT_NOT_FOUND' })
    // Made by an earlier version; now the id is reserved.
    await service.createEndpoint('early')
    const storage = service.storage()
    const early = storage.endpoints.get('early')
    if (early === undefined) throw new Error('there is no endpoint early')
    const config = { ...early.config, name: 'flash' }
    await storage.write(() => storage.endpoints.save({ ...early, id: 'flash', config }, 'created', 0))
    const flash = await service.worker('flash')
    const answer = service.ask('POST', CALL, { body: BODY })
    await flash.done((await flash.take())?.id ?? '', { output: 'mine' })
    expect((await answer).body).toMatchObject({ output: 'mine' })
    expect(await callWith(service, {}, token)).toMatchObject({ status: 401 })
    expect((await service.ask('POST', '/v2/flash/run', { body: BODY, headers: named('back') })).status).toBe(200)
    expect(service.storage().jobs.newestSeq()).toBe(2)
  })
})
