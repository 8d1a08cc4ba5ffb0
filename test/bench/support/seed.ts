/**
 * Fills a data folder before the service starts on it: through the storage layer, as the service itself would have
 * written it, with the search index up to date.
 */
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import BetterSqlite, { type Database } from 'better-sqlite3'
import { endpointConfig } from '../../../src-main/contract/endpoint.ts'
import { openStorage } from '../../../src-main/storage/open-storage.ts'
import type { NewLogLine, Storage } from '../../../src-main/storage/storage.ts'

const BATCH = 10_000
const DAY_MS = 86_400_000
const WORDS = ['ship', 'dock', 'crane', 'keel', 'rivet', 'plank', 'sail', 'anchor', 'tide', 'harbour']

export type Seed = {
  readonly endpointId: string
  /** How many endpoints in all; those after the first are called by a number more. One without it. */
  readonly endpoints?: number
  /** Workers that each has at all times; one without it. */
  readonly workers?: number
  readonly command: string
  readonly jobs: number
  readonly ended: boolean
  /** How long the job API knows those that have ended; a day without it. */
  readonly retentionMs?: number
}

/** Makes a data folder with endpoints and so many jobs of theirs that wait, or that have ended. */
export async function seedFolder(folder: string, seed: Seed): Promise<void> {
  const { jobs, endpoints = 1 } = seed
  const storage = openStorage(join(folder, 'drydock.db'))
  await storage.write(() => {
    for (let n = 0; n < endpoints; n++) addEndpoint(storage, seed, n)
  })
  for (let first = 0; first < jobs; first += BATCH) {
    await storage.write(() => {
      for (let n = first; n < Math.min(jobs, first + BATCH); n++) addJob(storage, seed, n)
    })
  }
  await closeSeeded(storage, folder)
}

async function closeSeeded(storage: Storage, folder: string): Promise<void> {
  while (await storage.write(() => storage.search.catchUp(BATCH)));
  await storage.close()
  spawnSync('sync', ['-f', folder]) // else the system would write it back while the service is measured
}

const endpointIdOf = ({ endpointId }: Seed, n: number) => (n === 0 ? endpointId : `${endpointId}-${n}`)

function addEndpoint({ endpoints }: Storage, seed: Seed, n: number): void {
  const { command, workers = 1 } = seed
  const id = endpointIdOf(seed, n)
  const now = Date.now()
  const limits = { workersMin: workers, workersMax: Math.max(1, workers) }
  const config = endpointConfig.parse({ name: id, command, ...limits })
  const endpoint = { id, config, paused: false, keyHash: new Uint8Array(32), revision: 1 }
  endpoints.save({ ...endpoint, createdAt: now, updatedAt: now }, 'created', now)
}

function addJob({ jobs }: Storage, seed: Seed, n: number): void {
  const { ended, retentionMs = DAY_MS } = seed
  const endpointId = endpointIdOf(seed, n % (seed.endpoints ?? 1))
  const moment = { now: Date.now(), steady: Date.now() }
  const words = [WORDS[n % 10], WORDS[Math.floor(n / 10) % 10], WORDS[Math.floor(n / 100) % 10]].join(' ')
  const { seq } = jobs.insert(
    {
      id: `${randomUUID()}-l1`,
      endpointId,
      input: `{"prompt":"${words}","number":${n}}`,
      s3Config: undefined,
      webhook: undefined,
      lowPriority: false,
      executionTimeoutMs: 600_000,
      ttlMs: DAY_MS,
      retentionMs,
      idempotencyKey: undefined,
    },
    moment,
  )
  if (!ended) return
  jobs.move(seq, 'claim', { workerId: 'seed' }, moment)
  jobs.move(seq, 'complete', { workerId: 'seed', output: `{"image":"${words}.png"}` }, moment)
}

// Tables of a job, in an order in which no row refers to a later one. Columns of rowids that nobody refers to are left
// out.
const JOB_TABLES = ['jobs', 'job_inputs', 'job_outputs', 'events'] as const

// So many are written one by one at least; the others are copies of them.
const LEAST_MADE = 5000

/**
 * Makes a data folder with jobs, of which there may be millions: the first thousands are written as the service itself
 * would, and then doubled again and again.
 */
export async function seedManyJobs(folder: string, seed: Seed): Promise<void> {
  let made = seed.jobs
  while (made % 2 === 0 && made / 2 >= LEAST_MADE) made /= 2
  await seedFolder(folder, { ...seed, jobs: made })
  doubleJobs(folder, Math.log2(seed.jobs / made))
  await closeSeeded(openStorage(join(folder, 'drydock.db')), folder)
}

function doubleJobs(folder: string, times: number): void {
  const db = new BetterSqlite(join(folder, 'drydock.db'))
  db.pragma('synchronous = OFF')
  db.pragma('cache_size = -262144')
  for (let n = 0; n < times; n++) {
    const add = db.prepare<[], { readonly last: number }>('SELECT MAX(seq) AS last FROM jobs').get()?.last ?? 0
    db.exec('BEGIN')
    for (const table of JOB_TABLES) copyRows(db, table, add)
    db.exec('COMMIT')
  }
  db.close()
}

function copyRows(db: Database, table: (typeof JOB_TABLES)[number], add: number): void {
  const all = db.prepare<[string], { readonly name: string }>('SELECT name FROM pragma_table_info(?)').all(table)
  const columns = all.map(({ name }) => name).filter((name) => table !== 'events' || name !== 'id')
  const values = columns.map((name) => {
    if (name === 'seq') return `seq + ${add}`
    // The last digits of an id are as good as any, and each copy is the only one with its own.
    return name === 'id' ? `printf('%s%012d%s', substr(id, 1, 24), seq + ${add}, substr(id, 37))` : name
  })
  const from = table === 'events' ? 'events WHERE seq IS NOT NULL' : table
  db.exec(`INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${from} ORDER BY seq`)
}

/** Makes a data folder with an endpoint and so many log lines of ten workers of it. */
export async function seedLogs(folder: string, endpointId: string, lines: number): Promise<void> {
  const storage = openStorage(join(folder, 'drydock.db'))
  await storage.write(() => addEndpoint(storage, { endpointId, command: 'true', jobs: 0, ended: false, workers: 0 }, 0))
  for (let first = 0; first < lines; first += BATCH)
    await storage.write(() => storage.logs.append(logLines(endpointId, first, Math.min(BATCH, lines - first))))
  await closeSeeded(storage, folder)
}

/** Lines as ten workers print them by turns, a hundred a job. @param first number of the first one */
export function logLines(endpointId: string, first: number, count: number): readonly NewLogLine[] {
  const at = Date.now()
  return Array.from({ length: count }, (_, index) => {
    const n = first + index
    const jobId = `${String(Math.floor(n / 100)).padStart(12, '0')}-l1`
    const line = `step ${n}: ${WORDS[n % 10]} ${WORDS[Math.floor(n / 10) % 10]}`
    return { at, endpointId, workerId: `worker-${n % 10}`, jobId, level: 'INFO', line }
  })
}
