/** A copied data folder never acts on the service and workers of the original. */
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sweepData } from '../../src-main/app/headless/sweep-data.ts'
import { type ServedService, servedService, startedService, until } from '../support/served-service.ts'

const ONE = { workersMin: 1, workersMax: 1 }

/** A service with a worker that runs a job until the gate `go` opens. */
async function setup() {
  const service = await startedService()
  await service.createEndpoint('work', ONE)
  const id = await service.run('work', { n: 1, gates: [service.gate('go')] })
  await until(async () => expect((await service.get('/v2/work/health')).workers).toMatchObject({ running: 1 }))
  return { service, id }
}

function copyOf({ folder, data }: ServedService): ServedService {
  const copy = join(folder, 'copy')
  cpSync(data, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') })
  return servedService({ data: copy })
}

test('a copy of a running service is refused with the way out, and commands on it do not reach that service', async () => {
  const { service, id } = await setup()
  const copy = copyOf(service)
  const { exitCode, stdout, stderr } = await copy.command('serve', '--port', '0')
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
  const { code, error } = JSON.parse(stderr)
  expect(code).toBe('DATA_FOLDER_UNUSABLE')
  expect(error).toContain(`a copy of ${service.data}, which pid ${service.serviceFile().pid} uses`)
  expect(error).toContain('Stop that service and copy its folder again')
  for (const _again of [1, 2]) await expect(sweepData(copy.data)).rejects.toThrow('Stop that service')
  expect(JSON.parse((await copy.command('endpoint', 'list')).stderr)).toMatchObject({ code: 'NOT_RUNNING' })
  service.openGate('go')
  expect(await service.jobEnd('work', id)).toMatchObject({ status: 'COMPLETED', output: { n: 1 } })
})

test('a copy that starts leaves the workers of the original alone, and both services run side by side', async () => {
  const { service, id } = await setup()
  await service.kill()
  const before = service.workerProcesses()
  expect(before).toHaveLength(1)
  const [copy, swept] = [copyOf(service), servedService()]
  cpSync(service.data, swept.data, { recursive: true })
  expect(await sweepData(swept.data)).toBe('swept')
  await copy.start()
  await until(() => expect(copy.workerProcesses()).toHaveLength(1))
  expect(service.workerProcesses()).toEqual(before)

  await service.start()
  service.openGate('go')
  const done = { status: 'COMPLETED', output: { n: 1 } }
  expect(await service.jobEnd('work', id)).toMatchObject(done)
  expect(await copy.jobEnd('work', id)).toMatchObject(done)
  expect(service.workerProcesses()).toEqual(before)
  await copy.stop()
  await copy.start()
  expect(existsSync(join(copy.data, 'service.json'))).toBe(true)
})
