/** Workers whose service is killed and comes back on the same folder and port. */
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { type ServedService, servedService, startedService, until } from '../support/served-service.ts'
import { PREPARE_LIMIT_MS, type PublicPython, preparePublicPython } from './support-python.ts'

let python: PublicPython
beforeAll(async () => {
  python = await preparePublicPython()
}, PREPARE_LIMIT_MS)

const PUBLIC_HANDLERS = fileURLToPath(new URL('python/worker.py', import.meta.url))
const OUR_HANDLERS = fileURLToPath(new URL('python/svc_handlers.py', import.meta.url))

type Me = { readonly worker: string; readonly pid: number }

/** Runs a job that says which process ran it. */
async function who(service: ServedService): Promise<Me> {
  const record = await service.jobEnd('away', await service.run('away', {}))
  expect(record).toMatchObject({ status: 'COMPLETED' })
  return record.output
}

const portOf = (service: ServedService) => Number(new URL(service.url()).port)
const workerLog = (service: ServedService, { worker }: Me) => service.read('data', 'workers', `${worker}.log`)

describe('a service that is killed and comes back', () => {
  test('finds a worker of svc_worker that knocked quietly, and that has kept its result', async () => {
    const service = await startedService()
    await service.createEndpoint('away', { handler: OUR_HANDLERS, workersMin: 1, workersMax: 1 })
    const me = await who(service)
    const jobId = await service.run('away', { do: 'wait', release: service.gate('release') })
    await until(async () =>
      expect(await service.get(`/v2/away/status/${jobId}`)).toMatchObject({ status: 'IN_PROGRESS' }),
    )
    await until(() => expect(workerLog(service, me)).toContain('waiting'))
    const port = portOf(service)
    await service.kill()
    service.openGate('release')
    await until(() => expect(workerLog(service, me)).toContain('service is away'))
    await service.start({ port })
    expect(portOf(service)).toBe(port)
    expect(await service.jobEnd('away', jobId)).toMatchObject({ status: 'COMPLETED', output: me })
    expect(await who(service)).toEqual(me)
    const { lines } = await service.get(`/api/workers/${me.worker}/logs`)
    expect(lines.filter(({ line }: { line: string }) => line.startsWith('service is away'))).toHaveLength(1)
  })

  test('finds a worker of the public SDK, which continues', async ({ skip }) => {
    skip(!python.ready, python.reason)
    const service = servedService()
    await service.start()
    await service.createEndpoint('away', {
      command: `'${python.python}' '${PUBLIC_HANDLERS}'`,
      workersMin: 1,
      workersMax: 1,
      env: { KIND: 'nap', HOME: service.folder, PYTHONDONTWRITEBYTECODE: '1' },
    })
    const me = await who(service)
    const port = portOf(service)
    await service.kill()
    await service.start({ port })
    expect(await who(service)).toEqual(me)
  })
})
