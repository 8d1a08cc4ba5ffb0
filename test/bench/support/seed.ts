/**
 * Fills a data folder before the service starts on it: through the storage layer, as the service itself would have
 * written it, with the search index up to date.
 */
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { endpointConfig } from '../../../src-main/contract/endpoint.ts'
import type { Storage } from '../../../src-main/services/ports.ts'
import { openStorage } from '../../../src-main/storage/open-storage.ts'

const BATCH = 10_000
const DAY_MS = 86_400_000
const WORDS = ['ship', 'dock', 'crane', 'keel', 'rivet', 'plank', 'sail', 'anchor', 'tide', 'harbour']

/** What to put in. */
export type Seed = {
  readonly endpointId: string
  readonly command: string
  readonly jobs: number
  readonly ended: boolean
  /** How long the job API knows those that have ended; a day without it. */
  readonly retentionMs?: number
}

/** Makes a data folder with one endpoint and so many jobs that wait, or that have ended. */
export async function seedFolder(folder: string, seed: Seed): Promise<void> {
  const { endpointId, command, jobs } = seed
  const storage = openStorage(join(folder, 'drydock.db'), Date.now())
  const now = Date.now()
  const config = endpointConfig.parse({ name: endpointId, command, workersMin: 1, workersMax: 1 })
  const endpoint = { id: endpointId, config, paused: false, keyHash: new Uint8Array(32), revision: 1 }
  await storage.write(() => storage.endpoints.save({ ...endpoint, createdAt: now, updatedAt: now }, 'created', now))
  for (let first = 0; first < jobs; first += BATCH) {
    await storage.write(() => {
      for (let n = first; n < Math.min(jobs, first + BATCH); n++) addJob(storage, seed, n)
    })
  }
  while (await storage.write(() => storage.search.catchUp(BATCH)));
  await storage.close()
  spawnSync('sync', ['-f', folder]) // else the system would write it back while the service is measured
}

function addJob({ jobs }: Storage, { endpointId, ended, retentionMs = DAY_MS }: Seed, n: number): void {
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
