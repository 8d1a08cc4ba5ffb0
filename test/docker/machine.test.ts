import { beforeEach, expect, test } from 'vitest'
import { dockerEngine } from '../support/docker-engine.ts'
import { startedService } from '../support/served-service.ts'
import { setupImages } from './support-images.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

test('a service that has had no container yet tells of its engine when somebody asks', async () => {
  const service = await startedService({ env: { DOCKER_HOST: 'why' in engine ? '' : engine.dockerHost } })
  expect((await service.get('/api/machine')).engine).toEqual({
    state: 'connected',
    version: expect.stringMatching(/^\d+\./),
    source: 'DOCKER_HOST',
  })
  const { rows } = await service.get('/api/doctor')
  const byName = new Map(rows.map((row: { check: string }) => [row.check, row]))
  expect(byName.get('Docker')).toMatchObject({ state: 'ok', found: expect.stringContaining('DOCKER_HOST') })
  expect(byName.get('worker image')).toMatchObject({ state: 'ok' })
  const { uses } = await service.get('/api/disk')
  expect(uses.find(({ kind }: { kind: string }) => kind === 'images')).not.toHaveProperty('fault')
})

test('a service that is stopped while it looks for its engine ends all the same', async () => {
  const service = await startedService({ env: { DOCKER_HOST: 'why' in engine ? '' : engine.dockerHost } })
  const asked = service.ask('GET', '/api/machine').catch(() => undefined) // answered or cut off: both are fine
  expect(await service.stop()).toMatchObject({ exitCode: 0 })
  await asked
})

test('the worker image is made by a press, and then it is there', async () => {
  const service = await startedService({ env: { DOCKER_HOST: 'why' in engine ? '' : engine.dockerHost } })
  const { done } = await service.post('/api/doctor/fix', { action: 'make-worker-image' })
  expect(done).toMatch(/^The worker image drydock-worker:\S+ is ready\.$/)
  const { rows } = await service.get('/api/doctor')
  expect(rows.find(({ check }: { check: string }) => check === 'worker image')).toEqual({
    check: 'worker image',
    state: 'ok',
    found: expect.stringMatching(/^drydock-worker:/),
  })
})

test('the images that were made here are listed with their size, and those of earlier versions are old', async () => {
  const images = setupImages(engine)
  await images.ensure({})
  const current = images.nameFor({})
  const earlier = `${images.repository}:0.0.0-earlier`
  await images.docker.getImage(current).tag({ repo: images.repository, tag: '0.0.0-earlier' })
  const listed = (await images.own()).toSorted((a, b) => a.name.localeCompare(b.name))
  expect(listed).toEqual([
    { name: earlier, bytes: expect.any(Number), old: true },
    { name: current, bytes: expect.any(Number), old: false },
  ])
  for (const { bytes } of listed) expect(bytes).toBeGreaterThan(10_000_000)
  await images.removeOld()
  expect((await images.own()).map(({ name }) => name)).toEqual([current])
})
