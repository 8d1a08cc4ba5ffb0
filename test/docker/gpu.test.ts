/** Graphics cards for containers, on a recorded machine and an engine that records what it is asked for. */
import { delimiter } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, test } from 'vitest'
import { containerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { recordingEngine } from '../support/recording-engine.ts'
import { until } from '../support/served-service.ts'

const engine = await dockerEngine()
const PROGRAMS = fileURLToPath(new URL('../support', import.meta.url))
const RUNTIMES = { Runtimes: { runc: {}, nvidia: {} } }

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

/** A service on a machine with these recorded cards. */
async function started(machine: string, info: object = RUNTIMES) {
  const recording = await recordingEngine('dockerHost' in engine ? engine.dockerHost : '', info)
  const service = containerService({ dockerHost: recording.dockerHost })
  const env = { RECORDED_GPUS: machine, PATH: `${PROGRAMS}${delimiter}${process.env.PATH}` }
  await service.start({ env })
  return { service, recording, restart: () => service.start({ env }) }
}

test('a container gets its card by id, and others wait until it is free, with the reason', async () => {
  const { service, recording } = await started('one-rtx-4090')
  await service.createContainers('first', { workersMin: 1, workersMax: 1 }, { gpu: 'ADA_24' })
  const [worker] = await until(async () => {
    const { workers } = await service.get('/api/workers?endpoint=first')
    expect(workers).toMatchObject([{ state: 'idle', gpus: [expect.stringMatching(/^GPU-/)] }])
    return workers
  })
  const [asked] = recording.containers
  expect(asked?.HostConfig.DeviceRequests).toEqual([
    { Driver: 'nvidia', DeviceIDs: worker.gpus, Capabilities: [['gpu']] },
  ])
  expect(asked?.Env.find((text) => text.startsWith('RUNPOD_SKIP_GPU_CHECK'))).toBeUndefined()

  await service.createContainers('second', {}, { gpu: 'ANY' })
  const job = await service.run('second', { n: 1 })
  await until(async () =>
    expect(await service.get(`/api/jobs/${job}`)).toMatchObject({
      waitingReason: expect.stringMatching(/needs 1 GPU.* 0 free/),
    }),
  )
  await service.ask('DELETE', '/api/endpoints/first')
  expect(await service.jobEnd('second', job)).toMatchObject({ status: 'COMPLETED' })
  expect(recording.containers.at(-1)?.HostConfig.DeviceRequests).toEqual(asked?.HostConfig.DeviceRequests)
})

test('workers that share are on one card, and an adopted worker keeps its card', async () => {
  const { service, restart } = await started('one-rtx-4090')
  await service.createContainers('shared', { workersMin: 2, workersMax: 2 }, { gpu: 'ANY', gpuShared: true })
  const ready = async () => {
    const { workers } = await service.get('/api/workers?endpoint=shared')
    expect(workers).toMatchObject([{ state: 'idle' }, { state: 'idle' }])
    return workers
  }
  const workers = await until(ready)
  expect(new Set(workers.flatMap(({ gpus }: { gpus: string[] }) => gpus)).size).toBe(1)
  await service.createContainers('alone', {}, { gpu: 'ANY' })
  await service.kill()
  await restart()
  expect(await until(ready)).toMatchObject(workers.map(({ gpus }: { gpus: string[] }) => ({ gpus })))
  const job = await service.run('alone', { n: 1 })
  await until(async () =>
    expect(await service.get(`/api/jobs/${job}`)).toMatchObject({ waitingReason: expect.stringMatching(/0 free/) }),
  )
})

test('without a card, or without a runtime for cards, jobs say so', async () => {
  const none = await started('none')
  await none.service.createContainers('hello', {}, { gpu: 'ANY' })
  const job = await none.service.run('hello', { n: 1 })
  await until(async () =>
    expect(await none.service.get(`/api/jobs/${job}`)).toMatchObject({
      waitingReason: expect.stringMatching(/no NVIDIA GPU/),
    }),
  )
  const bare = await started('one-rtx-4090', {})
  await bare.service.createContainers('hello', {}, { gpu: 'ANY' })
  const other = await bare.service.run('hello', { n: 1 })
  await until(async () =>
    expect(await bare.service.get(`/api/jobs/${other}`)).toMatchObject({
      waitingReason: expect.stringMatching(/no NVIDIA runtime.*Toolkit/),
    }),
  )
})
