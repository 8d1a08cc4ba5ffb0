/** The remains of a killed service are removed without starting another one. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sweepData } from '../../src-main/app/headless/sweep-data.ts'
import { servedService, startedService, until } from '../support/served-service.ts'

const TWO = { workersMin: 2, workersMax: 2 }

async function setup() {
  const service = await startedService()
  await service.createEndpoint('work', TWO)
  await until(async () => expect((await service.get('/v2/work/health')).workers).toMatchObject({ idle: 2 }))
  return service
}

test('the workers of a service that was killed are ended, those that run a job too, and no new one is started', async () => {
  const service = await setup()
  const id = await service.run('work', { n: 1, gates: [service.gate('go')] })
  await until(async () => expect((await service.get('/v2/work/health')).workers).toMatchObject({ running: 1 }))
  await service.kill()
  expect(service.workerProcesses()).toHaveLength(2)
  expect(await sweepData(service.data)).toBe('swept')
  await until(() => expect(service.workerProcesses()).toEqual([]))
  expect(existsSync(join(service.data, 'service.json'))).toBe(false)
  expect(await sweepData(service.data)).toBe('swept')

  // The data is as a crash of the machine would leave it.
  await service.start()
  service.openGate('go')
  expect(await service.jobEnd('work', id)).toMatchObject({ status: 'COMPLETED', output: { n: 1 } })
})

test('a service that runs is left alone', async () => {
  const service = await setup()
  const before = service.workerProcesses()
  expect(await sweepData(service.data)).toBe('in use')
  expect(service.workerProcesses()).toEqual(before)
  expect(await service.jobEnd('work', await service.run('work', { n: 1 }))).toMatchObject({ status: 'COMPLETED' })
})

test('a folder on which no service ever ran stays as it is', async () => {
  const { data, folder } = servedService()
  expect(await sweepData(data)).toBe('empty')
  expect(existsSync(data)).toBe(false)
  expect(await sweepData(folder)).toBe('empty')
  expect(existsSync(join(folder, 'drydock.lock'))).toBe(false)
})
