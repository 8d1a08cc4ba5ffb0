/** The parts of the service that workers on other machines can reach, over a real connection. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { APP_ROUTES } from '../../src-main/contract/app-routes.ts'
import { PLATFORM_ROUTES } from '../../src-main/contract/platform-routes.ts'
import { SERVICE_ROUTES } from '../../src-main/contract/service-routes.ts'
import { TASK_ROUTES } from '../../src-main/contract/task-calls.ts'
import { OPENAI_ROUTE, V2_ROUTES } from '../../src-main/contract/v2-routes.ts'
import { tunnelPath, WORKER_ROUTES } from '../../src-main/contract/worker-protocol.ts'
import { SERVICE_ID, setup, type TestService } from '../support/core.ts'
import { deployApp } from '../support/deployed-app.ts'
import { workerClient } from '../support/worker-client.ts'

type Asked = { readonly methods: readonly string[]; readonly path: string }

const GROUPS: Readonly<Record<string, readonly Asked[]>> = {
  'the management API': Object.values(APP_ROUTES),
  'the API of the platform': Object.values(PLATFORM_ROUTES),
  'the job API': [...Object.values(V2_ROUTES), OPENAI_ROUTE],
  'calls of tasks': Object.values(TASK_ROUTES),
  'events, sign-in, uploads and packages': Object.values(SERVICE_ROUTES),
  'load-balanced endpoints': [{ methods: ['GET', 'POST', 'OPTIONS'], path: '/lb/e/x' }],
  'the pages': ['/', '/endpoints', '/assets/index.js', '/api', '/v2', '/reverse-tunnel', '/%72everse-tunnel/'].map(
    (path) => ({
      methods: ['GET'],
      path,
    }),
  ),
}
const OF_WORKERS_THAT_CALL = ['the job API', 'load-balanced endpoints']
const NOTHING = { status: 404, body: '' }

async function ask(url: string, method: string, path: string, key: string | undefined, headers: object = {}) {
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const answer = await fetch(`${url}${path.replaceAll(/:\w+|\*/g, 'e')}`, {
    method,
    headers: { ...authorization, ...headers },
    redirect: 'manual',
  })
  return { status: answer.status, body: await answer.text() }
}

async function askAll(url: string, group: string, key: string | undefined) {
  const asked = (GROUPS[group] ?? []).flatMap(({ methods, path }) => methods.map((method) => ({ method, path })))
  return Promise.all(asked.map(async ({ method, path }) => ({ method, path, ...(await ask(url, method, path, key)) })))
}

/** All keys that open anything, and the token of a worker that may call nobody. */
async function allKeys({ accountKey, createEndpoint, post, worker }: TestService) {
  const endpoint = await createEndpoint()
  const admin = (await post('/api/keys', { name: 'ada', role: 'admin' })).key as string
  const { spec } = await worker()
  return { account: accountKey(), admin, endpoint, worker: spec.env.RUNPOD_AI_API_KEY ?? '', none: undefined }
}

describe('the listener for machines', () => {
  for (const group of Object.keys(GROUPS))
    it(`does not answer for ${group}, whatever the key`, async () => {
      const service = await setup()
      const keys = await allKeys(service)
      const url = await service.listen('machines')
      for (const key of Object.values(keys))
        for (const { method, path, ...answer } of await askAll(url, group, key))
          expect({ method, path, ...answer }).toEqual({ method, path, ...NOTHING })
    })

  it('does not take the session of a browser for a key', async () => {
    const service = await setup()
    await service.createEndpoint()
    const url = await service.listen('machines')
    const { headers } = await service.signIn()
    for (const path of ['/v2/e/health', '/lb/e/x', '/api/endpoints'])
      expect(await ask(url, 'GET', path, undefined, headers)).toEqual(NOTHING)
  })

  it('answers calls of the worker protocol with the token of their worker alone', async () => {
    const service = await setup()
    const keys = await allKeys(service)
    const url = await service.listen('machines')
    const { spec } = await service.worker()
    const jobId = await service.run({ n: 1 })
    const there = workerClient((request) => fetch(request), {
      ...spec,
      env: Object.fromEntries(
        Object.entries(spec.env).map(([name, value]) => [name, value.replace('http://127.0.0.1:8791', url)]),
      ),
    })
    for (const key of [keys.account, keys.admin, keys.endpoint, undefined])
      for (const { methods, path } of Object.values(WORKER_ROUTES)) {
        const mine = path.replace(':workerId', spec.workerId).replace(':jobId', jobId)
        expect(await ask(url, methods[0], mine, key)).toMatchObject({ status: 401 })
      }
    expect((await there.take())?.id).toBe(jobId)
    expect((await there.done(jobId, { output: 2 })).status).toBe(200)
    expect(await service.status(jobId)).toMatchObject({ status: 'COMPLETED', output: 2 })
  })

  it('answers what a worker of an app calls, with its token, and nothing else', async () => {
    const service = await setup()
    await deployApp(service, { resources: { front: { makesRemoteCalls: true } } })
    await service.createEndpoint()
    const url = await service.listen('machines')
    const token = (await service.worker('front')).spec.env.RUNPOD_AI_API_KEY
    expect(await ask(url, 'GET', '/v2/front/health', token)).toMatchObject({ status: 200 })
    expect(await ask(url, 'GET', '/v2/e/health', token)).toMatchObject({ status: 401 })
    expect(await ask(url, 'GET', '/lb/front/x', token)).toMatchObject({ status: 400 })
    for (const group of Object.keys(GROUPS).filter((name) => !OF_WORKERS_THAT_CALL.includes(name)))
      for (const { method, path, status } of await askAll(url, group, token))
        if (path !== SERVICE_ROUTES.stateManager.path)
          // Where the API of the platform has a path of the job API, it is its gate that refuses.
          expect([403, 404], `${method} ${path}`).toContain(status)
  })

  it('opens no WebSocket without the token of a worker', async () => {
    const service = await setup()
    await service.createEndpoint()
    const { port } = new URL(await service.listen('machines'))
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(
      `GET /lb/e/ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Authorization: Bearer ${service.accountKey()}\r\n\r\n`,
    )
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 404 /)
    await once(socket, 'close')
  })

  it('tells the watchdog of a machine that the way leads to its service, and no other one', async () => {
    const url = await (await setup()).listen('machines')
    expect(await ask(url, 'GET', tunnelPath(SERVICE_ID), undefined)).toEqual({ status: 204, body: '' })
    for (const id of ['service2', '', `${SERVICE_ID}/`])
      expect(await ask(url, 'GET', tunnelPath(id), undefined)).toEqual(NOTHING)
  })
})
