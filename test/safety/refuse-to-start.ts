/** docs/spec/targets.md, 2.8 and 2.9: a data folder in use, a port that is taken. */
import { once } from 'node:events'
import { existsSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { servedService, startedService, until } from '../support/served-service.ts'
import { withClients } from '../support/submit-load.ts'
import { holderOf } from './lose-workers.ts'

const REFUSED = 5
const DEFAULT_PORT = 8790
// Each second start waits 1 s for the lock; more at once would only wait for the processor.
const AT_ONCE = 4

/** Starts a second service on the data folder of one that runs a job. */
export async function startSecondServices({ runs }: { runs: number }) {
  const service = await startedService()
  await service.createEndpoint('work', { workersMax: 1 })
  const id = await service.run('work', { n: 1, gates: [service.gate('go')] })
  const worker = await holderOf(service, id)
  const before = service.serviceFile()
  await withClients(
    Array.from({ length: runs }),
    async () => {
      const { exitCode, stdout, stderr } = await service.command('serve', '--port', '0')
      expect({ exitCode, stdout }).toEqual({ exitCode: REFUSED, stdout: '' })
      const { code, error } = JSON.parse(stderr)
      expect(code).toBe('DATA_FOLDER_IN_USE')
      expect(error).toContain(`pid ${before.pid}`)
      expect(error).toContain(service.url())
    },
    AT_ONCE,
  )
  expect(service.serviceFile()).toEqual(before)
  service.openGate('go')
  expect(await service.jobEnd('work', id)).not.toHaveProperty('retries')
  expect((await service.get('/api/workers')).workers).toMatchObject([{ id: worker.id, jobsDone: 1 }])
  return { runs }
}

/** Deletes the lock file of a service that runs, and starts another on its folder. */
export async function startWithoutLock({ runs }: { runs: number }) {
  const service = await startedService()
  await service.createEndpoint('work', { workersMax: 1 })
  const { pid } = service.serviceFile()
  for (let n = 0; n < runs; n++) {
    const id = await service.run('work', { n, gates: [service.gate(`go-${n}`)] })
    await holderOf(service, id)
    rmSync(join(service.data, 'drydock.lock'))
    if (n % 2 === 1) rmSync(join(service.data, 'service.json'))
    const { exitCode, stdout, stderr } = await service.command('serve', '--port', '0')
    expect({ exitCode, stdout }).toEqual({ exitCode: REFUSED, stdout: '' })
    expect(JSON.parse(stderr)).toEqual({
      code: 'DATA_FOLDER_IN_USE',
      error: expect.stringContaining(`pid ${pid}`),
    })
    await until(() => expect(existsSync(join(service.data, 'drydock.lock'))).toBe(true))
    service.openGate(`go-${n}`)
    expect(await service.jobEnd('work', id)).toMatchObject({ status: 'COMPLETED', output: { n } })
  }
  await service.stop()
  expect(service.integrity()).toEqual(['ok'])
  return { runs }
}

/** Interrupts services as soon as they have locked their folder; the next start finds it free. */
export async function startAfterInterruptedStarts({ runs }: { runs: number }) {
  const service = servedService()
  for (let n = 0; n < runs; n++) {
    const started = service.start().catch((error: Error) => error)
    await until(() => expect(existsSync(join(service.data, 'drydock.lock'))).toBe(true))
    service.process().kill('SIGINT')
    await started
    expect(await service.stop()).toMatchObject({ stderr: expect.not.stringContaining('UNEXPECTED') })
    expect(existsSync(join(service.data, 'service.json'))).toBe(false)
    rmSync(join(service.data, 'drydock.lock'))
  }
  await service.start()
  await service.stop()
}

/** Deletes the database of a service that runs, which ends; the next start has all jobs. */
export async function startAfterDeletedDatabase() {
  const service = await startedService()
  await service.createEndpoint('work', { workersMax: 1 })
  const done = await service.run('work', { n: 1 })
  await service.jobEnd('work', done)
  await service.post('/api/endpoints/work/pause')
  for (const end of ['', '-wal', '-shm']) rmSync(join(service.data, `drydock.db${end}`))
  const waiting = await service.run('work', { n: 2 })
  await once(service.process(), 'exit')
  expect(statSync(join(service.data, 'drydock.db')).mode & 0o777).toBe(0o600)
  await service.start()
  expect(service.integrity()).toEqual(['ok'])
  expect(await service.get(`/v2/work/status/${done}`)).toMatchObject({ status: 'COMPLETED', output: { n: 1 } })
  expect(await service.get(`/v2/work/status/${waiting}`)).toMatchObject({ status: 'IN_QUEUE' })
  await service.stop()
}

/** Starts services on a port that another program has: the asked one is refused, the default one is passed over. */
export async function startOnTakenPorts({ runs }: { runs: number }) {
  const port = await takePort(0)
  await takePort(DEFAULT_PORT)
  for (let n = 0; n < runs; n++) {
    const service = servedService()
    const { exitCode, stdout, stderr } = await service.command('serve', '--port', String(port))
    expect({ exitCode, stdout }).toEqual({ exitCode: REFUSED, stdout: '' })
    expect(JSON.parse(stderr)).toEqual({ code: 'PORT_TAKEN', error: expect.stringContaining(`Port ${port} is taken`) })
    expect(existsSync(join(service.data, 'service.json'))).toBe(false)

    await service.start({ port: 'default' })
    expect(Number(new URL(service.url()).port)).toBeGreaterThan(DEFAULT_PORT)
    await service.createEndpoint('work')
    const health = await service.command('health')
    expect({ ...health, stdout: JSON.parse(health.stdout) }).toMatchObject({ exitCode: 0, stdout: {} })
    expect(health.stdout).toContain('work')
    await service.stop()
  }
  return { runs }
}

// Where another program has the port already, it is taken as well.
async function takePort(port: number): Promise<number> {
  const server = createServer()
  const taken = once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
  })
  server.listen(port, '127.0.0.1')
  await taken
  onTestFinished(() => void server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}
