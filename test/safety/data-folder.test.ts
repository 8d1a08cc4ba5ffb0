import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import BetterSqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { type ServedService, servedService, startedService } from '../support/served-service.ts'
import { startOnDamagedPages } from './damaged-pages.ts'
import { fillTheDisk, mount, stopOnFullDisk } from './fill-the-disk.ts'

const LAUNCHER = fileURLToPath(new URL('../../src-main/app/cli/drydock.mjs', import.meta.url))
const PAGE_BYTES = 4096
// The number of a user whom no file of the system names.
const NAMELESS = 54_321

/** A data folder that a service has used and left in order. */
async function usedFolder(): Promise<ServedService & { readonly database: string }> {
  const service = await startedService()
  await service.createEndpoint('work')
  await service.jobEnd('work', await service.run('work', { n: 1 }))
  await service.stop()
  return { ...service, database: join(service.data, 'drydock.db') }
}

const fingerprint = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

/** Starts the service, which must refuse the data folder with a sentence that names it. */
async function refusedStart(service: ServedService, why: RegExp, as = 'DATA_FOLDER_UNUSABLE') {
  const { exitCode, stdout, stderr } = await service.command('serve', '--port', '0')
  expect({ exitCode, stdout }, stderr).toEqual({ exitCode: 1, stdout: '' })
  const { code, error } = JSON.parse(stderr)
  expect(error).toMatch(why)
  expect(error).toContain(service.data)
  expect(code).toBe(as)
}

test('a user without a name, as containers have them, can run a service', async ({ skip }) => {
  if (process.getuid?.() !== 0) return skip(true, 'only root can become another user')
  const folder = mkdtempSync(join(tmpdir(), 'drydock-nameless-'))
  chownSync(folder, NAMELESS, NAMELESS)
  const child = spawn(process.execPath, [LAUNCHER, 'serve', '--data', join(folder, 'data'), '--port', '0', '--json'], {
    uid: NAMELESS,
    gid: NAMELESS,
    env: { PATH: process.env.PATH, HOME: folder, DRYDOCK_RESTART: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  const ended = once(child, 'close')
  const [answer] = await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data')])
  expect(JSON.parse(String(answer))).toMatchObject({ url: expect.stringMatching(/^http:/) })
})

test('a file that is no database is refused and stays as it is', async () => {
  const service = servedService()
  mkdirSync(service.data)
  const database = join(service.data, 'drydock.db')
  writeFileSync(database, 'notes of somebody else\n'.repeat(1000))
  const before = fingerprint(database)
  await refusedStart(service, /drydock\.db cannot be opened: .*Nothing was changed/)
  expect(fingerprint(database)).toBe(before)
  expect(readdirSync(service.data).filter((name) => name.startsWith('drydock.db'))).toEqual(['drydock.db'])
})

test('a database of another version is refused and stays as it is, or its folder is moved aside', async () => {
  const { database, ...service } = await usedFolder()
  const other = new BetterSqlite(database)
  other.pragma('user_version = 7')
  other.close()
  const before = fingerprint(database)
  const why = /made by another version of Drydock\. Nothing was changed\. Start with --move-aside .*drydock recover/
  await refusedStart(service, why, 'DATA_FOLDER_OF_OTHER_VERSION')
  expect(fingerprint(database)).toBe(before)
  await service.start({ args: ['--move-aside'] })
  expect(await service.get('/api/endpoints')).toEqual({ endpoints: [] })
  await service.stop()
  const [moved = ''] = readdirSync(dirname(service.data)).filter((name) => name.startsWith('data-until-'))
  expect(fingerprint(join(dirname(service.data), moved, 'drydock.db'))).toBe(before)
})

test('a database that is cut off is refused and stays as it is', async () => {
  const { database, ...service } = await usedFolder()
  truncateSync(database, 3 * PAGE_BYTES)
  const before = fingerprint(database)
  await refusedStart(service, /drydock\.db .*(malformed|damaged)/)
  expect(fingerprint(database)).toBe(before)
})

test('a database with a damaged page is refused with its reason, or serves; it always stops in order', async () => {
  await startOnDamagedPages({ pages: 6, first: 4 })
})

test('a data folder that cannot be made says so', async () => {
  const service = servedService()
  writeFileSync(service.data, 'a file has its name')
  await refusedStart(service, /data folder .* cannot be used: .*--data/)
})

test('a data folder that cannot be written says so', async ({ skip }) => {
  const service = servedService()
  mkdirSync(service.data)
  const mounted = mount(service.data, 'ro')
  if (mounted !== undefined) return skip(true, mounted)
  await refusedStart(service, /cannot be/)
})

test('a full disk is answered with 507, loses nothing, and the service continues when there is room again', async ({
  skip,
}) => {
  const { why } = await fillTheDisk({ runs: 2 })
  if (why !== undefined) return skip(true, why)
})

test('a service stops in order while its disk is full, and a start then says why or serves', async ({ skip }) => {
  const { why } = await stopOnFullDisk()
  if (why !== undefined) return skip(true, why)
})

test('doctor finds a damaged database, and recover saves all that can be read into a new folder', async () => {
  const service = await startedService()
  await service.createEndpoint('work')
  const jobs = await Promise.all(
    Array.from({ length: 40 }, (_, n) => service.run('work', { n, text: 'x'.repeat(2000) })),
  )
  const large = await service.run('work', { text: 'y'.repeat(600_000) })
  for (const job of [...jobs, large]) await service.jobEnd('work', job)
  await service.stop()
  const checked = async () => {
    const { stdout } = await service.command('doctor')
    return JSON.parse(stdout).checks.find(({ check }: { readonly check: string }) => check === 'database')
  }
  expect(await checked()).toMatchObject({ state: 'ok' })

  damageLeaf(join(service.data, 'drydock.db'), 'job_inputs')
  const { found, fix } = await checked()
  expect([found, fix]).toEqual([expect.stringMatching(/^damaged: /), expect.stringContaining('drydock recover')])
  const saved = join(service.folder, 'saved')
  const recovered = await service.command('recover', saved)
  expect(recovered).toMatchObject({ exitCode: 0 })
  const { tables } = JSON.parse(recovered.stdout)
  const damaged = tables.flatMap(({ table, isWhole }: { table: string; isWhole: boolean }) => (isWhole ? [] : [table]))
  expect(damaged).toEqual(expect.arrayContaining(['jobs', 'job_inputs']))

  const next = servedService({ data: saved })
  await next.start()
  expect(next.integrity()).toEqual(['ok'])
  const states = await Promise.all(jobs.map(async (job) => (await next.ask('GET', `/v2/work/status/${job}`)).status))
  expect(states.filter((status) => status === 200).length).toBeGreaterThan(30)
  const payloads = (data: string) => readdirSync(join(data, 'payloads'), { recursive: true }).length
  expect(payloads(saved)).toBe(payloads(service.data))
  await next.jobEnd('work', await next.run('work', { n: 1 }))
})

/** Overwrites one page with rows of a table. */
function damageLeaf(database: string, table: string): void {
  const db = new BetterSqlite(database)
  const leaves = db
    .prepare<[string], number>(`SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'`)
    .pluck()
    .all(table)
  db.close()
  const page = leaves[1] ?? 0
  const file = openSync(database, 'r+')
  writeSync(file, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, (page - 1) * PAGE_BYTES)
  closeSync(file)
}
