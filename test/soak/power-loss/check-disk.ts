/** Opens the real storage on a disk after a power cut, and looks for all that somebody was told. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite, { type Database } from 'better-sqlite3'
import type { Json } from '../../../src-main/lib/json/bytes.ts'
import { openFolderStorage } from '../../../src-main/storage/open-folder.ts'
import type { Job, Storage } from '../../../src-main/storage/storage.ts'
import { APP, hashOf, hashOfJson } from './acknowledgements.ts'
import type { Expected } from './expected.ts'

// Contents are read of what was told last, and of some of the rest: what is lost is young, or everything.
const LAST = 60
const OTHERS = 20

/**
 * Looks through a data folder.
 * @param random chooses the older things whose contents are read
 * @returns what is wrong, for a person; nothing where all is well
 */
export async function checkDisk(data: string, expected: Expected, random: () => number): Promise<readonly string[]> {
  const database = join(data, 'drydock.db')
  const opened = openFolderStorage({ lock: join(data, 'drydock.lock'), database })
  if (opened.kind !== 'open')
    return [`the folder cannot be opened: ${opened.kind === 'locked' ? 'locked' : opened.message}`]
  const problems: string[] = []
  const { storage } = opened
  try {
    const db = new BetterSqlite(database, { readonly: true })
    problems.push(...findTwins(db), ...findMissingFiles(db, data))
    const look = { storage, data, problems, chosen: <T>(all: readonly T[]) => choose(all, random) }
    await findJobs(look, expected)
    findValues(look, expected)
    await findFiles(look, expected)
    problems.push(...integrity(db))
    db.close()
  } catch (error) {
    problems.push(`it cannot be read: ${(error as Error).message}`)
  }
  await opened.close()
  return problems
}

type Look = {
  readonly storage: Storage
  readonly data: string
  readonly problems: string[]
  readonly chosen: <T>(all: readonly T[]) => readonly T[]
}

function choose<T>(all: readonly T[], random: () => number): readonly T[] {
  const older = Math.max(0, all.length - LAST)
  const others = Array.from({ length: Math.min(OTHERS, older) }, () => all[Math.floor(random() * older)] as T)
  return [...all.slice(older), ...others]
}

function integrity(db: Database): readonly string[] {
  const rows = db.pragma('integrity_check') as readonly { readonly integrity_check: string }[]
  const broken = rows.map((row) => row.integrity_check).filter((text) => text !== 'ok')
  const strangers = db.pragma('foreign_key_check') as readonly unknown[]
  return [...broken, ...strangers.map((row) => `a foreign key leads nowhere: ${JSON.stringify(row)}`)]
}

// Each input has a number of its own, and it comes first.
const TWINS = `
  SELECT 'the job with ' || SUBSTR(input, 2, INSTR(input, ',') - 2) AS what FROM job_inputs
  WHERE input LIKE '{"n":%' GROUP BY what HAVING COUNT(*) > 1
  UNION ALL
  SELECT 'the end of job ' || seq FROM events WHERE event = 'complete' GROUP BY seq HAVING COUNT(*) > 1`

function findTwins(db: Database): readonly string[] {
  return (db.prepare(TWINS).all() as readonly { readonly what: string }[]).map(({ what }) => `${what} is there twice`)
}

const FILES = `
  SELECT file, file_bytes AS bytes FROM job_inputs WHERE file IS NOT NULL UNION ALL
  SELECT file, file_bytes FROM job_outputs WHERE file IS NOT NULL`

function findMissingFiles(db: Database, data: string): readonly string[] {
  const rows = db.prepare(FILES).all() as readonly { readonly file: string; readonly bytes: number }[]
  return rows.flatMap(({ file, bytes }) => {
    const size = sizeOf(join(data, 'payloads', file))
    return size === bytes ? [] : [`the payload ${file} has ${size ?? 'no file and'} bytes instead of ${bytes}`]
  })
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size

async function findJobs({ storage, problems, chosen }: Look, { jobs, events }: Expected): Promise<void> {
  const found = new Map<string, Job>()
  for (const [id, { end, taken, chunks }] of jobs) {
    const job = storage.jobs.find(id)
    if (job === undefined) {
      problems.push(`job ${id} is lost`)
      continue
    }
    found.set(id, job)
    const isOpen = /^IN_/.test(job.status)
    if (end !== undefined && job.status !== end.status)
      problems.push(`job ${id} was ${end.status}, and is ${job.status}`)
    if (taken !== undefined && isOpen) problems.push(`the result of job ${id} was taken, and it is ${job.status}`)
    if (storage.chunks.count(job.seq) < chunks && !wasTriedAgain(storage, job))
      problems.push(`job ${id} had ${chunks} chunks, and has ${storage.chunks.count(job.seq)}`)
  }
  for (const [id, { input, end, taken }] of chosen([...jobs])) {
    const job = found.get(id)
    if (job === undefined) continue
    const stored = await storage.jobs.readInput(job)
    if (input !== undefined && hashOfStored(stored?.input) !== input) problems.push(`job ${id} has another input`)
    const output = job.status === 'COMPLETED' ? (end?.output ?? taken) : undefined
    if (output !== undefined && hashOfStored(await storage.jobs.readOutput(job)) !== output)
      problems.push(`job ${id} has another output`)
  }
  for (const { eventId, jobId, to } of chosen(events)) {
    const [event] = storage.events.after(eventId - 1, 1)
    if (event?.type !== 'job' || event.eventId !== eventId || event.jobId !== jobId || event.to !== to)
      problems.push(`event ${eventId} (job ${jobId} is ${to}) is now ${JSON.stringify(event)?.slice(0, 200)}`)
  }
}

// Another try begins its stream anew.
const wasTriedAgain = (storage: Storage, { seq }: Job) =>
  storage.jobs.history(seq).some(({ event }) => event === 'rescue' || event === 'release')

const hashOfStored = (json: Json | undefined) =>
  json === undefined
    ? 'nothing'
    : hashOfJson(JSON.parse(typeof json === 'string' ? json : Buffer.from(json).toString()))

function findValues({ storage, data, problems }: Look, { values, endpoints }: Expected): void {
  for (const id of endpoints) if (storage.endpoints.get(id) === undefined) problems.push(`endpoint ${id} is lost`)
  for (const [name, { told, asked }] of values) {
    if (told === undefined) continue
    const stored = storedValue(storage, data, name)
    if (stored !== told && !asked.includes(stored) && !asked.includes('new'))
      problems.push(`${name} was ${told}, and is ${stored}`)
  }
}

function storedValue(storage: Storage, data: string, name: string): string {
  const [what, id = '', version] = name.split(' ')
  if (what === 'workflow') {
    const text =
      version === undefined ? storage.workflows.text(id) : storage.workflows.version(id, Number(version))?.text
    return text === undefined ? 'deleted' : hashOf(text)
  }
  if (what === 'variable') {
    const environment = storage.apps.environment(APP.app, APP.environment)
    const scope = `variables/${environment?.id}/${environment?.variables}`
    return storage.secrets.get(scope, id) ?? 'nothing'
  }
  if (name === 'account key') return accountKey(storage, join(data, 'account.key'))
  return String((storage.state.get('settings') as { readonly assetsMaxMib: number } | undefined)?.assetsMaxMib)
}

// A service makes a new key where the one in the file is not the one whose hash is stored.
function accountKey(storage: Storage, file: string): string {
  if (!existsSync(file)) return 'without its file'
  const hash = hashOf(readFileSync(file, 'utf8').trim())
  const stored = Buffer.from((storage.state.get('account.keyHash') ?? []) as readonly number[]).toString('hex')
  return hash === stored ? hash : 'void'
}

const BEFORE: Readonly<Record<string, readonly string[]>> = {
  preparing: ['preparing', 'active', 'superseded', 'failed'],
  active: ['active', 'superseded'],
}

async function findFiles({ storage, data, problems, chosen }: Look, expected: Expected): Promise<void> {
  for (const { id, name } of expected.assets) {
    const asset = storage.assets.named(name)
    const size = sizeOf(join(data, 'assets', id))
    if (asset?.id !== id) problems.push(`asset ${name} is ${asset === undefined ? 'lost' : 'another'}`)
    else if (size !== asset.bytes) problems.push(`asset ${name} has ${size ?? 'no file and'} bytes of ${asset.bytes}`)
  }
  for (const { id, name } of chosen(expected.assets).slice(0, OTHERS)) {
    const bytes = await storage.assetFiles.read(id)
    if (bytes !== undefined && hashOf(bytes) !== id) problems.push(`asset ${name} has other bytes`)
  }
  for (const artifact of expected.artifacts) {
    const path = await storage.artifacts.find(artifact)
    if (path === undefined) problems.push(`artifact ${artifact} is lost`)
    else if (hashOf(readFileSync(path)) !== artifact) problems.push(`artifact ${artifact} has other bytes`)
  }
  const environment = storage.apps.environment(APP.app, APP.environment)
  for (const [number, { state, artifact }] of expected.releases) {
    const release = storage.apps.release(environment?.id ?? 0, number)
    if (!(BEFORE[state] ?? [state]).includes(release?.state ?? 'lost'))
      problems.push(`release ${number} was ${state}, and is ${release?.state ?? 'lost'}`)
    if (release !== undefined && release.artifact !== artifact) problems.push(`release ${number} has another artifact`)
    if (release?.state !== 'active') continue
    const code = join(data, 'unpacked', artifact)
    const text = existsSync(join(code, 'data/number.txt')) ? readFileSync(join(code, 'data/number.txt'), 'utf8') : ''
    if (!release.manifest.includes(`"${text}"`) || text === '')
      problems.push(`the code of release ${number} is not whole`)
  }
}
