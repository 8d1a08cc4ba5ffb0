/**
 * For how long the event loop of the service computes at once because of one request: the purge of 100,000 jobs, and the
 * inputs and results that take longest to read.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { limit } from '../../../src-main/contract/limits.ts'
import { WORST_JSON } from '../../support/worst-bodies.ts'
import { bounded, type Row, short } from '../report.ts'
import { withFolder } from '../support/folders.ts'
import { latencies } from '../support/latency.ts'
import { seedFolder } from '../support/seed.ts'
import { createEndpoint, type Service, startService, workerCommand } from '../support/service.ts'
import { workerSide } from '../support/worker-side.ts'

const JOBS = 100_000
const ID = 'many'
const MOST_HELD_MS = 50
// The least of them counts: a collection of garbage may be in one.
const TRIES = 3
const LOOK_EVERY_MS = 5
const WATCH = join(import.meta.dirname, '..', 'programs', 'loop-watch.ts')

type Held = { readonly max: number; readonly p99: number; readonly p50: number }
type Watched = Service & { readonly held: () => Promise<Held> }

/** Measures both. */
export async function heldLoop(): Promise<readonly Row[]> {
  return [await withFolder(purge), await withFolder(worstBodies)]
}

async function purge(folder: string): Promise<Row> {
  await seedFolder(folder, { endpointId: ID, command: 'true', jobs: JOBS, ended: false })
  const service = await startWatched(folder)
  try {
    await service.call('POST', `/api/endpoints/${ID}/pause`)
    await service.held()
    const { removed } = (await service.call('POST', `/v2/${ID}/purge-queue`)) as { readonly removed: number }
    if (removed !== JOBS) throw new Error(`${removed} of ${JOBS} jobs were purged`)
    const { max, p99 } = await service.held()
    const row = bounded('event loop computes at once, purge of 100,000 jobs', max, MOST_HELD_MS, 'ms')
    return { ...row, figure: `${row.figure}, p99 ${short(p99)} ms` }
  } finally {
    await service.stop()
  }
}

async function worstBodies(folder: string): Promise<Row> {
  const identity = join(folder, 'worker.json')
  const service = await startWatched(join(folder, 'service'))
  try {
    await createEndpoint(service, { id: ID, command: workerCommand('stand-in-worker', identity), workersMin: 1 })
    const worker = await workerSide(identity)
    const heldBy = async (work: () => Promise<unknown>) => {
      await service.held()
      await work()
      return (await service.held()).max
    }
    const submit = (body: Buffer) =>
      latencies({ port: service.port, path: `/v2/${ID}/run`, headers: [service.auth], body }, 1)
    const holds: { readonly by: string; readonly ms: number }[] = []
    for (const [kind, make] of Object.entries(WORST_JSON)) {
      const [input, result] = [make('input', limit('runBodyBytes')), make('output', limit('resultBodyBytes'))]
      const tries: { readonly input: number; readonly result: number }[] = []
      for (let n = 0; n < TRIES; n++) {
        const ofInput = await heldBy(() => submit(input))
        const { id } = await worker.take()
        tries.push({ input: ofInput, result: await heldBy(() => worker.done(id, result)) })
      }
      for (const body of ['input', 'result'] as const)
        holds.push({ by: `${body} of ${kind}`, ms: Math.min(...tries.map((held) => held[body])) })
    }
    worker.close()
    const [worst = { by: '', ms: Number.NaN }] = holds.toSorted((a, b) => b.ms - a.ms)
    const row = bounded('event loop computes at once, worst input or result', worst.ms, MOST_HELD_MS, 'ms')
    return { ...row, figure: `${row.figure}, ${worst.by}` }
  } finally {
    await service.stop()
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
