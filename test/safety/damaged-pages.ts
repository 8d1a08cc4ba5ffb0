/**
 * A database whose pages are damaged one by one: the service says so, or it serves; it never hangs or fails blindly.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startedService } from '../support/served-service.ts'

const PAGE_BYTES = 4096
// As 1010 0101 it is neither a length nor a type of anything in the file.
const DAMAGE = 0xa5

/**
 * Overwrites pages of a used database, each in a fresh copy, and starts the service on each.
 * @param pages how many, spread over the file
 * @param first how many more from its beginning, where the tables themselves are listed
 */
export async function startOnDamagedPages({ pages, first = 0 }: { pages: number; first?: number }) {
  const service = await startedService()
  await service.createEndpoint('work')
  await service.jobEnd('work', await service.run('work', { n: 1, print: ['a line'] }))
  await service.stop()
  const database = join(service.data, 'drydock.db')
  const whole = readFileSync(database)
  const all = Math.floor(whole.length / PAGE_BYTES)
  const spread = Math.min(pages, all)
  const damaged = new Set([
    ...Array.from({ length: Math.min(first, all) }, (_, page) => page),
    ...Array.from({ length: spread }, (_, n) => Math.floor(((n + 1) * all) / spread) - 1),
  ])
  let served = 0
  for (const page of damaged) {
    const bytes = Buffer.from(whole).fill(DAMAGE, page * PAGE_BYTES, (page + 1) * PAGE_BYTES)
    for (const name of ['drydock.db-wal', 'drydock.db-shm']) rmSync(join(service.data, name), { force: true })
    writeFileSync(database, bytes)
    const refusal = await service.start().then(
      () => undefined,
      (error: Error) => error.message,
    )
    if (refusal === undefined) {
      served += 1
      expect(await service.stop(), `page ${page}`).toMatchObject({ exitCode: 0, stderr: '' })
    } else expect(refusal, `page ${page}`).toMatch(/(malformed|not a database|vtable).*DATA_FOLDER_UNUSABLE/)
  }
  return { pages: damaged.size, served }
}
