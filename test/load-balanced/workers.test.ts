import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { PATIENCE_MS } from '../support/patience.ts'
import { type ServedService, startedService, until } from '../support/served-service.ts'
import { createWeb, loggedRequest, open, send, targetOf } from '../support/web-client.ts'

async function setup(more: object = {}) {
  const service = await startedService()
  await createWeb(service, 'web', more)
  return { service, target: targetOf(service) }
}

type Worker = { readonly id: string; readonly pid: number; readonly state: string; readonly reason?: string }

async function workersOf(service: ServedService, id = 'web'): Promise<readonly Worker[]> {
  return (await service.get(`/api/workers?endpoint=${id}`)).workers
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

const healthOf = (service: ServedService) => service.get('/v2/web/health')

test('200 requests at once are all answered while the fleet grows from 1 to 4 and shrinks to 1 again', async () => {
  // None leaves before all four were counted.
  const { service, target } = await setup({ workersMin: 1, workersMax: 4 })
  await until(async () => expect(await healthOf(service)).toMatchObject({ workers: { idle: 1 } }))
  const statuses: number[] = []
  const seen = new Set<string>()
  let most = 0
  let rounds = 0
  const giveUpAt = Date.now() + PATIENCE_MS
  // As many as it takes until four of them work, and not fewer than two rounds.
  while (seen.size < 4 || rounds < 2) {
    rounds += 1
    expect(Date.now(), `only ${seen.size} workers answered`).toBeLessThan(giveUpAt)
    const requests = Array.from({ length: 200 }, async (_, n) => {
      const body = n % 2 === 0 ? undefined : 'some body'
      const method = body === undefined ? 'GET' : 'POST'
      const answer = await send(target, '/lb/web/work?ms=20', { method, ...(body === undefined ? {} : { body }) })
      statuses.push(answer.status)
      seen.add(answer.json().worker)
    })
    await Promise.all(requests)
    most = Math.max(most, (await workersOf(service)).filter(({ state }) => state !== 'stopping').length)
  }
  expect(most).toBe(4)
  // Requests go on one by one while the others leave.
  await service.ask('PATCH', '/api/endpoints/web', { idleTimeoutMs: 300 })
  await until(async () => {
    statuses.push((await send(target, '/lb/web/work?ms=1', { method: 'POST', body: 'x' })).status)
    expect(await workersOf(service)).toMatchObject([{ state: expect.stringMatching(/idle|running/) }])
  })
  expect([...new Set(statuses)]).toEqual([200])
  expect(statuses.length).toBeGreaterThan(400)
})

test('a worker that is to leave answers its open requests first, and gets no new one', async () => {
  const { service, target } = await setup({ workersMin: 1, workersMax: 2 })
  const slow = send(target, `/lb/web/wait?gate=${service.gate('go')}`, { method: 'POST', body: 'x' })
  await until(async () => expect(await healthOf(service)).toMatchObject({ jobs: { inProgress: 1 } }))
  const [old] = await workersOf(service)
  await service.ask('PATCH', '/api/endpoints/web', { env: { NEW: '1' } })
  await until(async () =>
    expect((await workersOf(service)).find(({ id }) => id === old?.id)).toMatchObject({ state: 'stopping' }),
  )
  const answer = await send(target, '/lb/web/echo')
  expect(answer.json().worker).not.toBe(old?.id)
  service.openGate('go')
  expect(await slow).toMatchObject({ status: 200 })
  await until(async () => expect((await workersOf(service)).map(({ id }) => id)).not.toContain(old?.id))
})

test('a WebSocket does not keep a worker for ever that is to leave', async () => {
  const { service, target } = await setup({ workersMin: 1, workersMax: 2, stopGraceMs: 200 })
  const socket = new WebSocket(`${target.url.replace('http', 'ws')}/lb/web/socket`, {
    headers: { authorization: target.key },
  })
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  const closed = new Promise((resolve) => socket.addEventListener('close', resolve))
  await service.ask('PATCH', '/api/endpoints/web', { env: { NEW: '1' } })
  await closed
})

test('a request waits for a slow start: 204 is no readiness, 200 is', async () => {
  const service = await startedService()
  const pingFile = service.gate('ping')
  writeFileSync(pingFile, '204')
  await createWeb(service, 'web', { env: { PING_FILE: pingFile } })
  const target = targetOf(service)
  const answer = send(target, '/lb/web/echo')
  await until(async () =>
    expect(await workersOf(service)).toMatchObject([
      { state: 'initializing', reason: 'it reports that it is starting (GET /ping: 204)' },
    ]),
  )
  expect((await service.get('/api/endpoints/web')).waitingReason).toMatch(/A worker is starting, for .*GET \/ping: 204/)
  expect(await healthOf(service)).toMatchObject({ jobs: { inQueue: 1, inProgress: 0 } })
  writeFileSync(pingFile, '200')
  expect((await answer).status).toBe(200)
})

test('a worker without a route /ping is never ready, and its state says why', async () => {
  const { service, target } = await setup({ command: 'python3 -m http.server --bind 127.0.0.1 "$PORT"' })
  const leave = new AbortController()
  open(target, '/lb/web/', { signal: leave.signal }).catch(() => undefined)
  await until(async () => {
    const [worker] = await workersOf(service)
    expect(worker).toMatchObject({
      state: 'initializing',
      reason: expect.stringMatching(/404: a load-balanced worker/),
    })
  })
  leave.abort()
})

test('an ill worker gets no request until it is well again', async () => {
  const service = await startedService()
  const pingFile = service.gate('ping')
  writeFileSync(pingFile, '200')
  await createWeb(service, 'web', { env: { PING_FILE: pingFile }, workersMin: 1 })
  const target = targetOf(service)
  await send(target, '/lb/web/echo')
  const [worker] = await workersOf(service)
  writeFileSync(pingFile, '500')
  await until(async () =>
    expect(await workersOf(service)).toContainEqual(
      expect.objectContaining({ id: worker?.id, state: 'unhealthy', reason: 'GET /ping answers 500' }),
    ),
  )
  writeFileSync(pingFile, '200')
  // The list of events holds it also where the worker that was started meanwhile lets this one go soon afterwards.
  await until(async () => {
    const { events } = await service.get('/api/fleet-events?endpoint=web&kinds=worker')
    const well = { event: 'idle', workerId: worker?.id }
    expect(events.filter(({ event, workerId }: typeof well) => event === 'idle' && workerId === well.workerId)).toEqual(
      [expect.objectContaining(well), expect.objectContaining(well)],
    )
  })
})

test('a worker that dies in the middle of an answer cuts it off; one that dies before it gives 502', async () => {
  const { service, target } = await setup()
  const cut = await open(target, '/lb/web/cut')
  const read = async () => {
    for await (const piece of cut) expect(piece.toString()).toBe('half')
  }
  await expect(read()).rejects.toThrow(/aborted/)
  expect((await loggedRequest(service, 'web', ({ path }) => path === '/cut')).error).toMatch(
    /in the middle of its response/,
  )
  const died = await send(target, '/lb/web/die', { method: 'POST', body: 'x' })
  expect(died.json()).toMatchObject({ status: 502, code: 'WORKER_FAILED' })
  expect((await loggedRequest(service, 'web', ({ status }) => status === 502)).error).toMatch(/closed the connection/)
  expect((await send(target, '/lb/web/echo')).status).toBe(200)
})

test('a request that was never read goes to another worker; one that was is not sent twice', async () => {
  const { target } = await setup({ workersMin: 1 })
  const worker = (await send(target, '/lb/web/echo')).json()
  process.kill(worker.pid, 'SIGKILL')
  await until(() => expect(isOpen(worker.port)).resolves.toBe(false))
  // The service may not know yet that it is gone.
  const answer = await send(target, '/lb/web/echo', { method: 'POST', body: 'abc' })
  expect(answer.json()).toMatchObject({ size: 3 })
  expect(answer.json().worker).not.toBe(worker.worker)
  const hungUp = await send(target, '/lb/web/hang-up')
  expect(hungUp.json()).toMatchObject({ code: 'WORKER_FAILED', error: expect.stringMatching(/without a response/) })
})

test('a service that was killed finds its load-balanced workers again and serves at once', async () => {
  const { service, target } = await setup({ workersMin: 1 })
  const before = (await send(target, '/lb/web/echo')).json()
  await service.kill()
  await service.start()
  const after = (await send(targetOf(service), '/lb/web/echo')).json()
  expect({ worker: after.worker, pid: after.pid }).toEqual({ worker: before.worker, pid: before.pid })
  expect(service.workerProcesses().map(({ pid }) => pid)).toEqual([before.pid])
})

test('an orderly stop lets open requests end and leaves no worker behind', async () => {
  const { service, target } = await setup()
  const slow = send(target, `/lb/web/wait?gate=${service.gate('go')}`)
  await until(async () => expect(await healthOf(service)).toMatchObject({ jobs: { inProgress: 1 } }))
  const stopped = service.stop()
  await until(async () => expect((await send(target, '/lb/web/echo')).json()).toMatchObject({ code: 'STOPPING' }))
  service.openGate('go')
  expect(await slow).toMatchObject({ status: 200 })
  expect((await stopped).exitCode).toBe(0)
  expect(service.workerProcesses()).toEqual([])
})
