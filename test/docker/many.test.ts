/** Many endpoints that nobody asks, and many workers at once. */
import { writeSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { until } from '../support/served-service.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

test('50 endpoints without workers cost nothing: no container, and the engine is looked for once', async () => {
  const service = await startedContainerService(engine)
  for (let n = 0; n < 50; n++) await service.createContainers(`e${n}`)
  const { workers } = await service.get('/v2/e49/health')
  expect(workers).toEqual({ idle: 0, initializing: 0, ready: 0, running: 0, throttled: 0, unhealthy: 0 })
  expect(service.readDatabase(`SELECT name FROM service_state WHERE name LIKE 'containers.%'`)).toEqual([])
  // Whether it could run them is told when they are created.
  expect(service.read('data', 'drydock.log').match(/Docker engine/g)).toHaveLength(1)
})

test('20 workers start at the same time', async () => {
  const service = await startedContainerService(engine)
  await service.ask('PATCH', '/api/settings', { maxWorkers: 30 })
  await service.createContainers('one', {}, { prepared: 0 })
  const startedAt = performance.now()
  await service.jobEnd('one', await service.run('one', { n: 0 }))
  const oneMs = performance.now() - startedAt
  const manyAt = performance.now()
  await service.createContainers('many', { workersMin: 20, workersMax: 20 }, { prepared: 0 })
  await until(async () => expect((await service.get('/v2/many/health')).workers).toMatchObject({ idle: 20 }))
  const manyMs = performance.now() - manyAt
  const ids = await service.containers('svc.endpoint=many')
  expect(ids).toHaveLength(20)
  const [row] = service.readDatabase(
    `SELECT json_extract(value, '$') AS id FROM service_state WHERE name = 'containers.serviceId'`,
  )
  const { workers } = await service.get('/api/workers')
  const names = (await service.docker('inspect', '--format', '{{.Name}}', ...ids)).trim().split('\n')
  const many = workers.filter(({ endpointId }: { endpointId: string }) => endpointId === 'many')
  const wanted = many.map(({ id }: { id: string }) => `/drydock-${row?.id}-many-${id}`)
  expect(names.sort()).toEqual(wanted.sort())
  const figures = { oneMs: Math.round(oneMs), twentyMs: Math.round(manyMs) }
  writeSync(1, `20 workers at once: ${JSON.stringify(figures)}\n`)
})
