/**
 * Services on one engine: each has its own network, and what one leaves when it is killed is removed without the
 * others.
 */
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { sweepData } from '../../src-main/app/headless/sweep-data.ts'
import { nothingLeft, startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { until } from '../support/served-service.ts'

const engine = await dockerEngine()
const ONE = { workersMin: 1, workersMax: 1 }

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

/** A service with two containers that run, of which one may not reach other machines, and one that is prepared. */
async function setup() {
  const service = await startedContainerService(engine)
  await service.createContainers('open', ONE)
  await service.createContainers('closed', ONE, { egress: false, prepared: 0 })
  await service.workerIn('open', 'idle')
  await service.workerIn('closed', 'idle')
  // One that the engine is about to make would be there after all others were swept.
  await until(async () => expect(await service.containers()).toHaveLength(3))
  return service
}

test('two services on one engine have networks of their own, and each removes its own at the end', async () => {
  const [one, other] = await Promise.all([setup(), setup()])
  const [networks, others] = await Promise.all([one.networks(), other.networks()])
  expect([networks.length, others.length]).toEqual([2, 2])
  expect(new Set([...networks, ...others]).size).toBe(4)
  await one.stop()
  await nothingLeft(one)
  expect(await other.networks()).toEqual(others)
  expect(await other.jobEnd('open', await other.run('open', { n: 1 }))).toMatchObject({ status: 'COMPLETED' })
})

test('containers and networks of a service that was killed are swept, those of another one stay', async () => {
  const [killed, other] = await Promise.all([setup(), setup()])
  vi.stubEnv('DOCKER_HOST', 'dockerHost' in engine ? engine.dockerHost : '')
  onTestFinished(() => void vi.unstubAllEnvs())
  const left = await other.containers()
  expect(await sweepData(killed.data)).toBe('in use')
  await killed.kill()
  expect((await killed.containers()).length).toBeGreaterThanOrEqual(2)
  expect(await sweepData(killed.data)).toBe('swept')
  await nothingLeft(killed)
  await until(async () => expect(await other.containers()).toEqual(expect.arrayContaining([...left])))
  expect(await other.jobEnd('closed', await other.run('closed', { n: 1 }))).toMatchObject({ status: 'COMPLETED' })
})
