/**
 * docs/spec/targets.md, 2.6: the disk of the data folder is full. It is a small file system in memory, which only root
 * may mount.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { type ServedService, servedService, until } from '../support/served-service.ts'
import { holderOf } from './lose-workers.ts'

const MOUNT = 'mount'
const UNMOUNT = 'umount'
const DISK = 'size=32m'
const FIRST_PIECE_BYTES = 1024 * 1024
// Larger than what a group of writes finds free in the files of the database.
const INPUT = 'x'.repeat(100_000)
// Stored in a file of its own.
const LARGE_INPUT = 'x'.repeat(2 * limit('payloadInRowBytes'))
const REFUSALS = 20

/** `why` says why nothing was done. */
export type DiskFigures = { readonly runs: number; readonly why?: string }

/** Fills the disk while a job runs; submits until it is refused; makes room; everything accepted must end well. */
export async function fillTheDisk({ runs }: { runs: number }): Promise<DiskFigures> {
  const service = servedService()
  const why = smallDisk(service)
  if (why !== undefined) return { runs: 0, why }
  await service.start()
  await service.createEndpoint('work', { workersMin: 1, workersMax: 1 })
  await service.createEndpoint('idle', { workersMin: 1, workersMax: 1 })
  for (let run = 0; run < runs; run++) {
    const gates = [service.gate(`go-${run}`)]
    const accepted = [await service.run('work', { n: 0, print: ['before'], gates, after: ['after'] })]
    await holderOf(service, accepted[0] as string)
    const filler = join(service.data, 'filler')
    const refused = await until(async () => {
      fill(filler)
      const answer = await service.ask('POST', '/v2/work/run', { input: { n: accepted.length, pad: INPUT } })
      if (answer.status === 200) accepted.push(answer.body.id)
      expect(answer.status).not.toBe(200)
      return answer
    })
    expect(refused).toMatchObject({ status: 507, body: { code: 'DISK_FULL', status: 507 } })
    const large = { input: { n: 0, pad: LARGE_INPUT } }
    expect(await service.ask('POST', '/v2/work/run', large)).toMatchObject({ status: 507, body: { code: 'DISK_FULL' } })
    expect(await service.ask('POST', '/api/account-key/rotate')).toMatchObject({
      status: 507,
      body: { code: 'DISK_FULL' },
    })
    await until(() => expect(readdirSync(join(service.data, 'payloads')).length).toBe(run))
    expect(await service.get(`/v2/work/status/${accepted[0]}`)).toMatchObject({ status: 'IN_PROGRESS' })
    // The end of a worker is logged, and may not be stored; nor may the result of the running job.
    const { workers } = await service.get('/api/workers?endpoint=idle')
    for (const { id } of workers) await service.ask('POST', `/api/workers/${id}/stop`)
    service.openGate(`go-${run}`)
    for (let n = 0; n < REFUSALS; n++) {
      expect(await service.ask('POST', '/v2/work/run', { input: { pad: INPUT } })).toMatchObject({ status: 507 })
    }
    await service.get('/v2/work/health')

    rmSync(filler)
    accepted.push(await service.run('work', { n: accepted.length, pad: LARGE_INPUT }))
    for (const [n, id] of accepted.entries()) {
      const record = await service.jobEnd('work', id)
      expect(record).toMatchObject({ status: 'COMPLETED', output: { n } })
      expect(record).not.toHaveProperty('retries')
    }
    expect(service.integrity()).toEqual(['ok'])
  }
  expect(await service.stop()).toMatchObject({ exitCode: 0 })
  return { runs }
}

/** Stops the service while the disk is full and a job runs; starts it again with room; the job must end well. */
export async function stopOnFullDisk(): Promise<DiskFigures> {
  const service = servedService()
  const why = smallDisk(service)
  if (why !== undefined) return { runs: 0, why }
  await service.start({ args: ['--stop-grace', '200'] })
  await service.createEndpoint('work', { workersMax: 1 })
  const id = await service.run('work', { n: 1, gates: [service.gate('go')] })
  await holderOf(service, id)
  const filler = join(service.data, 'filler')
  fill(filler)
  expect(await service.stop()).toMatchObject({ exitCode: 0 })
  expect(service.workerProcesses()).toEqual([])

  fill(filler)
  const { exitCode, stderr } = await service.command('serve', '--port', '0')
  expect(exitCode).toBe(1)
  expect(JSON.parse(stderr)).toMatchObject({ code: 'DATA_FOLDER_UNUSABLE' })

  rmSync(filler)
  await service.start()
  service.openGate('go')
  expect(await service.jobEnd('work', id)).toMatchObject({ status: 'COMPLETED', output: { n: 1 } })
  return { runs: 1 }
}

function smallDisk(service: ServedService): string | undefined {
  mkdirSync(service.data)
  return mount(service.data, DISK)
}

/** Mounts a file system in memory for the test. @returns why it cannot */
export function mount(folder: string, options: string): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux may mount a file system'
  try {
    execFileSync(MOUNT, ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'pipe' })
  } catch (error) {
    return `no file system can be mounted here: ${(error as Error).message.split('\n')[0]}`
  }
  onTestFinished(() => void execFileSync(UNMOUNT, ['-l', folder]))
  return undefined
}

/** Fills the disk to the last byte. */
function fill(file: string): void {
  for (let bytes = FIRST_PIECE_BYTES; bytes > 0; ) {
    try {
      writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      bytes = Math.floor(bytes / 2)
    }
  }
}
