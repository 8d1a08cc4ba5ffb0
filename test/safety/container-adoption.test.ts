/** Containers and a service that is killed, or stopped in order. */
import { beforeEach, expect, test } from 'vitest'
import { BEGUN, nothingLeft, startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { until } from '../support/served-service.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const ONE = { workersMin: 1, workersMax: 1 }

test('a container outlives a service that is killed: its job ends with its first try, output and lines', async () => {
  const service = await startedContainerService(engine)
  await service.createContainers('work', ONE)
  const input = { n: 1, print: ['before'], gates: [service.gateInside('go')], after: ['after'] }
  const id = await service.run('work', input)
  const worker = await service.holderOf(id)
  const linesOf = async () => {
    const { lines } = await service.get(`/api/jobs/${id}/logs`)
    return lines.flatMap(({ line }: { line: string }) => (/^service is (away|back)/.test(line) ? [] : [line]))
  }
  await until(async () => expect(await linesOf()).toEqual(['before']))
  await service.kill()
  await service.start()
  expect(await service.get(`/v2/work/status/${id}`)).toMatchObject({ status: 'IN_PROGRESS', workerId: worker.id })
  service.openGate('go')
  expect(await service.jobEnd('work', id)).toMatchObject({ status: 'COMPLETED', workerId: worker.id })
  const { attempt, retries } = await service.get(`/api/jobs/${id}`)
  expect({ attempt, retries }).toEqual({ attempt: 1 })
  await until(async () => expect(await linesOf()).toEqual(['before', 'after']))
  expect(await service.jobEnd('work', await service.run('work', { n: 2 }))).toMatchObject({ workerId: worker.id })
})

test('a result that a container has while no service runs is not lost, nor a line', async () => {
  const service = await startedContainerService(engine)
  await service.createContainers('work', ONE, { prepared: 0 })
  const id = await service.run('work', { n: 1, print: [BEGUN], gates: [service.gateInside('go')], after: ['alone'] })
  const worker = await service.holderOf(id)
  await service.hasBegun(id)
  await service.kill()
  service.openGate('go')
  await until(async () => expect(await service.docker('logs', worker.container)).toContain('alone'))
  await service.start()
  expect(await service.jobEnd('work', id)).toMatchObject({ status: 'COMPLETED', workerId: worker.id })
  await until(async () => {
    const { lines } = await service.get(`/api/jobs/${id}/logs`)
    expect(lines.map(({ line }: { line: string }) => line)).toContain('alone')
  })
})

test('a paused container is adopted; a prepared one, a dead one and one of nobody are removed; no job is lost', async () => {
  const service = await startedContainerService(engine)
  await service.createContainers('idle', { idleTimeoutMs: 100 })
  await service.jobEnd('idle', await service.run('idle', { n: 0 }))
  const paused = await service.workerIn('idle', 'paused')
  const prepared = await until(async () => {
    const others = (await service.containers('svc.endpoint=idle')).filter((id) => id !== paused.container)
    expect(others).toHaveLength(1)
    return others
  })
  await service.createContainers('dies', ONE, { prepared: 0 })
  const lost = await service.run('dies', { n: 1, gates: [service.gateInside('go')] })
  const dead = await service.holderOf(lost)
  const { Labels } = JSON.parse(await service.docker('inspect', '--format', '{{json .Config}}', dead.container))
  await service.kill()
  await service.docker('kill', dead.container)
  const labels = Object.entries({ ...Labels, 'svc.worker': 'of-nobody' }).map(
    ([name, value]) => `--label=${name}=${value}`,
  )
  const stray = await service.docker('run', '--detach', ...labels, 'busybox', 'sleep', '600')

  await service.start()
  const gone = [dead.container, stray, ...prepared]
  await until(async () => expect((await service.containers()).filter((id) => gone.includes(id))).toEqual([]))
  service.openGate('go')
  const record = await service.jobEnd('dies', lost)
  expect(record).toMatchObject({ status: 'COMPLETED', output: { n: 1 } })
  expect(record.workerId).not.toBe(dead.id)
  expect(record).not.toHaveProperty('retries')
  expect(await service.jobEnd('idle', await service.run('idle', { n: 2 }))).toMatchObject({ workerId: paused.id })
})

test('a service that stops in order leaves no container and no network, and lets jobs end within the grace time', async () => {
  const service = await startedContainerService(engine, { args: ['--stop-grace', '10000'] })
  await service.createContainers('work', { workersMin: 2, workersMax: 2 })
  await service.createContainers('idle', { idleTimeoutMs: 100 })
  await service.jobEnd('idle', await service.run('idle', { n: 0 }))
  await service.workerIn('idle', 'paused')
  const id = await service.run('work', { n: 1, gates: [service.gateInside('go')] })
  await service.holderOf(id)
  await service.workerIn('work', 'idle')
  expect(await service.networks()).toHaveLength(1)
  const stopped = service.stop()
  service.openGate('go')
  expect(await stopped).toMatchObject({ exitCode: 0, stderr: '' })
  await nothingLeft(service)
  await service.start()
  expect(await service.get(`/v2/work/status/${id}`)).toMatchObject({ status: 'COMPLETED', output: { n: 1 } })
})
