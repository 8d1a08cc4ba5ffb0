/** Load-balanced endpoints whose workers are containers: reached at their own addresses, scaled, paused and adopted. */
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, test } from 'vitest'
import { type ContainerService, sharedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { until } from '../support/served-service.ts'

const engine = await dockerEngine()
const WORKERS = fileURLToPath(new URL('../support/workers', import.meta.url))
const ROUND = 200

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const setup = sharedContainerService(engine)

/** Makes an endpoint whose workers answer as test/support/workers/web.py says. */
function createWeb(service: ContainerService, id: string, settings: object = {}, container: object = {}) {
  return service.createEndpoint(id, {
    command: 'python3 /web/web.py',
    loadBalanced: {},
    env: { LISTEN_HOST: '0.0.0.0' },
    workersMin: 0,
    workersMax: 4,
    ...settings,
    container: {
      image: 'python:3.11-slim-bookworm',
      volumes: [{ source: WORKERS, target: '/web', readOnly: true }],
      ...container,
    },
  })
}

/** Sends one request with the account key and gives its status. */
async function statusOf(service: ContainerService, path: string): Promise<number> {
  const key = service.read('data', 'account.key').trim()
  const answer = await fetch(`${service.url()}/lb/${path}`, { headers: { authorization: `Bearer ${key}` } })
  await answer.arrayBuffer()
  return answer.status
}

test('two endpoints answer 200 requests at once each while they grow from 1 to 4 and shrink to 1 again', async () => {
  const service = await setup()
  const ids = ['left', 'right']
  const scaler = { type: 'REQUEST_COUNT', value: 8 }
  for (const id of ids) await createWeb(service, id, { scaler, workersMin: 1, idleTimeoutMs: 500 }, { keepPausedMs: 0 })
  const sizes = new Map<string, Set<number>>(ids.map((id) => [id, new Set()]))
  const look = async (id: string) => {
    const ready = (await service.workers(id)).filter(({ state }) => state === 'idle' || state === 'running').length
    sizes.get(id)?.add(ready)
    return ready
  }
  const serve = async (id: string) => {
    await until(async () => expect(await look(id)).toBe(1))
    const statuses: number[] = []
    // Rounds go on until all workers have come, so that requests are there while the fleet grows.
    do {
      const requests = Array.from({ length: ROUND }, () => statusOf(service, `${id}/work?ms=20`))
      statuses.push(...(await Promise.all(requests)))
    } while ((await look(id)) < 4)
    while ((await look(id)) > 1) statuses.push(await statusOf(service, `${id}/work?ms=1`))
    return statuses
  }
  for (const statuses of await Promise.all(ids.map(serve))) expect([...new Set(statuses)]).toEqual([200])
  for (const id of ids) {
    expect([...(sizes.get(id) ?? [])]).toContain(4)
    const { requests } = await service.get(`/api/endpoints/${id}/requests?limit=1`)
    expect(requests).toMatchObject([{ method: 'GET', path: '/work', status: 200, workerId: expect.any(String) }])
  }
})

test('a paused worker gets no request until it is woken for one', async () => {
  const service = await setup()
  await createWeb(service, 'web', { workersMax: 1, idleTimeoutMs: 200 })
  expect(await statusOf(service, 'web/work?ms=1')).toBe(200)
  const { id } = await service.workerIn('web', 'paused')
  expect(await statusOf(service, 'web/work?ms=1')).toBe(200)
  expect((await service.workers('web')).map((worker) => worker.id)).toEqual([id])
})

test('workers that outlived a crash of the service answer again', async () => {
  const service = await setup()
  await createWeb(service, 'web', { workersMin: 1, workersMax: 1 })
  expect(await statusOf(service, 'web/work?ms=1')).toBe(200)
  const [before] = await service.workers('web')
  await service.kill()
  await service.start()
  expect(await statusOf(service, 'web/work?ms=1')).toBe(200)
  expect((await service.workers('web')).map(({ id }) => id)).toEqual([before?.id])
})

test('a command without an image runs in the worker image, with its code at /app, which it cannot change', async () => {
  const service = await setup()
  const code = [{ source: WORKERS, target: '/app', readOnly: true }]
  await createWeb(service, 'app', { command: 'python3 /app/web.py' }, { image: undefined, volumes: code })
  expect(await statusOf(service, 'app/work?ms=1')).toBe(200)
  const [worker] = await service.workers('app')
  const { Config, Mounts } = JSON.parse(
    await service.docker('inspect', '--format', '{{json .}}', worker?.container ?? ''),
  )
  expect(Config.Image).toMatch(/^drydock-worker:/)
  expect(Config.WorkingDir).toBe('/app')
  expect(Mounts).toMatchObject([{ Destination: '/app', RW: false }])
})
