/** Idle containers are paused, woken, ended; others are made before they are needed. */
import { beforeEach, expect, test } from 'vitest'
import { startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { until } from '../support/served-service.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const IDLE_MS = 100

test('an idle container is paused, wakes for a job, and ends when it was paused for long enough', async () => {
  const service = await startedContainerService(engine)
  await service.createContainers('work', { idleTimeoutMs: IDLE_MS }, { keepPausedMs: 600_000, prepared: 0 })
  const first = await service.jobEnd('work', await service.run('work', { n: 1 }))
  expect(first).toMatchObject({ status: 'COMPLETED', output: { n: 1 } })
  const paused = await service.workerIn('work', 'paused')
  const stateOf = (id: string) => service.docker('inspect', '--format', '{{.State.Status}}', id)
  await until(async () => expect(await stateOf(paused.container)).toBe('paused'))
  expect((await service.get('/v2/work/health')).workers).toMatchObject({ idle: 0, ready: 0, running: 0 })

  const second = await service.jobEnd('work', await service.run('work', { n: 2 }))
  expect(second).toMatchObject({ status: 'COMPLETED', output: { n: 2 }, workerId: first.workerId })
  await service.workerIn('work', 'paused')
  expect(await service.containers()).toEqual([paused.container])

  expect(await service.ask('PATCH', '/api/endpoints/work', { container: { keepPausedMs: 1 } })).toMatchObject({
    status: 200,
  })
  await until(async () => expect(await service.containers()).toEqual([]))
  await until(async () => expect(await service.workers('work')).toEqual([]))
})

test('without a time to stay paused an idle container ends at once', async () => {
  const service = await startedContainerService(engine)
  await service.createContainers('work', { idleTimeoutMs: IDLE_MS }, { keepPausedMs: 0, prepared: 0 })
  await service.jobEnd('work', await service.run('work', { n: 1 }))
  await until(async () => expect(await service.containers()).toEqual([]))
  const { events } = await service.get('/api/events?limit=200').catch(() => ({ events: [] }))
  expect(JSON.stringify(events)).not.toContain('paused')
})

test('a paused container gives way when another endpoint finds no place', async () => {
  const service = await startedContainerService(engine)
  await service.ask('PATCH', '/api/settings', { maxWorkers: 1 })
  const idle = { idleTimeoutMs: IDLE_MS }
  await service.createContainers('first', idle, { keepPausedMs: 600_000, prepared: 0 })
  await service.createContainers('second', idle, { keepPausedMs: 600_000, prepared: 0 })
  await service.jobEnd('first', await service.run('first', { n: 1 }))
  await service.workerIn('first', 'paused')
  expect(await service.jobEnd('second', await service.run('second', { n: 2 }))).toMatchObject({ output: { n: 2 } })
  expect(await service.workers('first')).toEqual([])
})

test('a container that was made before is the next worker, and is thrown away when the settings change', async () => {
  const service = await startedContainerService(engine)
  const created = async () =>
    (await service.docker('ps', '--all', '--quiet', '--no-trunc', '--filter', 'status=created'))
      .split('\n')
      .filter(Boolean)
  const prepared = async () => {
    const [mine, waiting] = [await service.containers('svc.endpoint=work'), await created()]
    return mine.filter((id) => waiting.includes(id))
  }
  await service.createContainers('work', { workersMax: 2, scaler: { type: 'REQUEST_COUNT', value: 1 } })
  const first = await service.run('work', { n: 1, gates: [service.gateInside('go')] })
  await service.holderOf(first)
  const [next = ''] = await until(async () => {
    const found = await prepared()
    expect(found).toHaveLength(1)
    return found
  })
  const second = await service.run('work', { n: 2, gates: [service.gateInside('go')] })
  expect((await service.holderOf(second)).container).toBe(next)
  const [unused = ''] = await until(async () => {
    const found = await prepared()
    expect(found).toHaveLength(1)
    expect(found).not.toEqual([next])
    return found
  })
  await service.ask('PATCH', '/api/endpoints/work', { env: { CHANGED: 'yes' } })
  await until(async () => expect(await service.containers()).not.toContain(unused))
  service.openGate('go')
  for (const id of [first, second]) expect(await service.jobEnd('work', id)).toMatchObject({ status: 'COMPLETED' })
  expect(await service.ask('DELETE', '/api/endpoints/work')).toMatchObject({ status: 200 })
  await until(async () => expect(await service.containers()).toEqual([]))
})
