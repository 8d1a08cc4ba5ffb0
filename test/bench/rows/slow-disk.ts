/**
 * Runs on a disk whose syncs take 5 ms longer, as on an ordinary laptop: a library that is loaded into service and floor
 * delays each. It counts them, too, so a row says how many the thread with the event loop makes.
 */
import { join } from 'node:path'
import { noSlowSync, slowSyncs, syncCounts } from '../../support/slow-sync/slow-sync.ts'
import type { LoadOrder, LoadResult } from '../programs/load.ts'
import { bounded, compared, notMeasured, type Row, short } from '../report.ts'
import { median, percentile } from '../statistics.ts'
import { besideAcceptFloor, besideHandOffFloor } from '../support/beside-floor.ts'
import { JOB_BODY } from '../support/clients.ts'
import { withFolder } from '../support/folders.ts'
import { latencies } from '../support/latency.ts'
import { loadInTurn, perSecond } from '../support/load-in-turn.ts'
import { startProgram } from '../support/programs.ts'

const ADDED_MS = 5
const LOAD = { client: 'socket', body: JOB_BODY, ms: 2000 } as const
const with5ms = (what: string) => `${what}, 5 ms added to each sync`

/** Measures all of them, or says why not. */
export async function slowDisk(rounds: number): Promise<readonly Row[]> {
  if (noSlowSync !== undefined) return [notMeasured(with5ms('durable runsync, /health'), noSlowSync)]
  return withFolder(async (folder) => {
    const countPath = join(folder, 'syncs')
    const env = slowSyncs({ addedMs: ADDED_MS, countPath })
    return [...(await accepting(env, countPath)), await sixteen(rounds, env)]
  })
}

type Variables = Readonly<Record<string, string>>

function accepting(env: Variables, countPath: string): Promise<readonly Row[]> {
  return besideAcceptFloor(
    async (sides) => {
      const before = syncCounts(countPath)
      const health = await healthUnderLoad({ ...LOAD, ...sides.ours, connections: 64 })
      const after = syncCounts(countPath)
      const onLoop = after.eventLoop - before.eventLoop
      const syncs = bounded('syncs by the thread of the event loop, meanwhile', onLoop, 0, 'syncs')
      const p99 = bounded(with5ms('/health while 64 clients submit, p99'), percentile(health, 0.99), 10, 'ms')
      return [
        { ...p99, figure: `${p99.figure}, p50 ${short(median(health))} of ${health.length}` },
        { ...syncs, figure: `${syncs.figure}, ${after.others - before.others} by others` },
      ]
    },
    { service: env, floor: {} },
  )
}

/** Asks for the health of an endpoint again and again while others submit. */
async function healthUnderLoad(order: LoadOrder): Promise<readonly number[]> {
  const program = await startProgram('load')
  try {
    let isDone = false
    const loaded = program.ask<LoadResult>(order).finally(() => {
      isDone = true
    })
    const samples: number[] = []
    const path = order.path.replace(/run$/, 'health')
    while (!isDone) samples.push(...(await latencies({ port: order.port, path, headers: order.headers }, 10)))
    await loaded
    return samples
  } finally {
    await program.stop()
  }
}

function sixteen(rounds: number, env: Variables): Promise<Row> {
  return besideHandOffFloor(
    { loops: 16 },
    async (sides) => {
      const { ours, other } = await loadInTurn(rounds, sides, { ...LOAD, connections: 16 })
      return compared(with5ms('durable runsync, 16 clients'), perSecond(ours), perSecond(other), {
        unit: 'jobs/s',
        against: 'bare, each row its own commit',
        least: 6,
      })
    },
    { service: env, floor: env },
  )
}
