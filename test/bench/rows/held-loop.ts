/**
 * Work on 100,000 jobs at once: the purge of a queue, and a start that finds the retention of as many ended jobs over.
 * How long it takes, how /health answers meanwhile, and for how long the event loop of the service computes at once.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { bounded, type Row, short } from '../report.ts'
import { percentile } from '../statistics.ts'
import { withFolder } from '../support/folders.ts'
import { latencies } from '../support/latency.ts'
import { seedFolder } from '../support/seed.ts'
import { type Service, startService } from '../support/service.ts'

const JOBS = 100_000
const ID = 'many'
const MOST_PURGE_MS = 10_000
const MOST_HELD_MS = 10
const MOST_HEALTH_MS = 10
const MOST_START_MS = 700
const LOOK_EVERY_MS = 5
const WATCH = join(import.meta.dirname, '..', 'programs', 'loop-watch.ts')

type Held = { readonly max: number; readonly p99: number; readonly p50: number }
type Watched = Service & { readonly held: () => Promise<Held> }

/** Measures both. */
export async function heldLoop(): Promise<readonly Row[]> {
  return [...(await withFolder(purge)), ...(await withFolder(start))]
}

async function purge(folder: string): Promise<readonly Row[]> {
  await seedFolder(folder, { endpointId: ID, command: 'true', jobs: JOBS, ended: false })
  const service = await startWatched(folder)
  try {
    await service.call('POST', `/api/endpoints/${ID}/pause`)
    await service.held()
    const from = performance.now()
    const purged = service.call('POST', `/v2/${ID}/purge-queue`)
    const health = await healthUntil(service, purged)
    const ms = performance.now() - from
    const { removed } = (await purged) as { readonly removed: number }
    if (removed !== JOBS) throw new Error(`${removed} of ${JOBS} jobs were purged`)
    return [
      bounded('purge of 100,000 waiting jobs', ms, MOST_PURGE_MS, 'ms'),
      ...rowsOf('purge of 100,000', health, await service.held()),
    ]
  } finally {
    await service.stop()
  }
}

async function start(folder: string): Promise<readonly Row[]> {
  await seedFolder(folder, { endpointId: ID, command: 'true', jobs: JOBS, ended: true, retentionMs: 1 })
  const from = performance.now()
  const service = await startWatched(folder)
  const ms = performance.now() - from
  try {
    await service.held() // what was loaded before the first answer is no work on jobs
    const health = await healthUntil(service, isArchived(service))
    return [
      bounded('start to the first answer, retention of 100,000 jobs over', ms, MOST_START_MS, 'ms'),
      ...rowsOf('retention of 100,000 over', health, await service.held()),
    ]
  } finally {
    await service.stop()
  }
}

function rowsOf(during: string, health: readonly number[], held: Held): readonly Row[] {
  const loop = bounded(`${during}: event loop computes at once, p99`, held.p99, MOST_HELD_MS, 'ms')
  const answer = bounded(`${during}: health, p50`, percentile(health, 0.5), MOST_HEALTH_MS, 'ms')
  return [
    { ...loop, figure: `${loop.figure}, p50 ${short(held.p50)}, at most ${short(held.max)}` },
    { ...answer, figure: `${answer.figure}, p99 ${short(percentile(health, 0.99))} of ${health.length}` },
  ]
}

/** Asks /health again and again until the work is done. */
async function healthUntil({ port, auth }: Service, work: Promise<unknown>): Promise<readonly number[]> {
  let isDone = false
  const done = work.finally(() => {
    isDone = true
  })
  const samples: number[] = []
  while (!isDone) samples.push(...(await latencies({ port, path: `/v2/${ID}/health`, headers: [auth] }, 10)))
  await done
  return samples
}

async function isArchived(service: Service): Promise<void> {
  for (;;) {
    const { requests } = (await service.call('GET', '/api/jobs?expired=false&limit=1')) as { requests: unknown[] }
    if (requests.length === 0) return
    await pause(LOOK_EVERY_MS * 20)
  }
}

async function startWatched(folder: string): Promise<Watched> {
  const file = join(folder, 'loop.json')
  const service = await startService(folder, { NODE_OPTIONS: `--import ${WATCH}`, BENCH_LOOP_FILE: file })
  return {
    ...service,
    /** Since it was asked last. */
    async held() {
      rmSync(file, { force: true })
      process.kill(service.pid, 'SIGUSR2')
      while (!existsSync(file)) await pause(LOOK_EVERY_MS)
      return JSON.parse(readFileSync(file, 'utf8')) as Held
    },
  }
}
