import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inTurn } from '../in-turn.ts'
import type { LoadOrder, LoadResult } from '../programs/load.ts'
import { bounded, compared, type Row, short } from '../report.ts'
import { median, percentile } from '../statistics.ts'
import { startFloorWorker } from '../support/floor-worker.ts'
import { withFolder } from '../support/folders.ts'
import { latencies } from '../support/latency.ts'
import { startProgram } from '../support/programs.ts'
import { createEndpoint, createWarmEndpoint, startService, workerIsIdle } from '../support/service.ts'

const BODY = '{"input":{"prompt":"a ship in a dry dock","steps":20}}'
const CALLS = 500
const WARM_CALLS = 500
const CLIENTS = 16
const ROUND_MS = 3000
const AGAINST_BARE = 'two bare round trips and a commit'

/** Durable `runsync` with a handler that does nothing, one client: how long a call takes. */
export function runsyncLatency(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const service = await startService(join(folder, 'service'))
    const floor = await startProgram<number>('hand-off-floor', [join(folder, 'floor.db')])
    const stopWorker = startFloorWorker(floor.ready, { loops: 1, output: 'empty' })
    try {
      await createWarmEndpoint(service, 'noop')
      await createPythonEndpoint(service, folder)
      const body = Buffer.from(BODY)
      const to = (id: string) => ({ port: service.port, path: `/v2/${id}/runsync`, headers: [service.auth], body })
      const bare = { port: floor.ready, path: '/runsync', headers: [], body }
      await latencies(to('noop'), WARM_CALLS)
      await latencies(bare, WARM_CALLS)
      const { ours, other } = await inTurn(
        rounds,
        () => latencies(to('noop'), CALLS),
        () => latencies(bare, CALLS),
      )
      await latencies(to('python'), WARM_CALLS / 5)
      const python = await latencies(to('python'), CALLS)
      const p50 = (side: readonly number[][]) => median(side.map(median))
      const p99 = (side: readonly number[][]) => percentile(side.flat(), 0.99)
      const what = 'durable runsync, 1 client'
      const pythonP99 = short(percentile(python, 0.99))
      return [
        compared(`${what}, p50`, p50(ours), p50(other), { unit: 'ms', against: AGAINST_BARE, most: 1.6 }),
        bounded(`${what}, p99 (bare: ${short(p99(other))} ms)`, p99(ours), 6, 'ms'),
        compared(`the same through svc_worker, p50 (p99 ${pythonP99} ms)`, median(python), p50(other), {
          unit: 'ms',
          against: AGAINST_BARE,
        }),
      ]
    } finally {
      await Promise.all([service.stop(), floor.stop(), stopWorker()])
    }
  })
}

async function createPythonEndpoint(service: Awaited<ReturnType<typeof startService>>, folder: string): Promise<void> {
  const handler = join(folder, 'handler.py')
  writeFileSync(handler, 'def handler(job):\n    return {}\n')
  await createEndpoint(service, { id: 'python', handler, workersMin: 1, workersMax: 1 })
  await workerIsIdle(service, 'python')
}

/** The same with 16 clients and a worker that runs 16 jobs at once: jobs a second. */
export function runsyncThroughput(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const service = await startService(join(folder, 'service'))
    const floor = await startProgram<number>('hand-off-floor', [join(folder, 'floor.db')])
    const stopWorker = startFloorWorker(floor.ready, { loops: CLIENTS, output: 'empty' })
    const load = await startProgram('load')
    try {
      await createWarmEndpoint(service, 'noop', { loops: CLIENTS })
      const order = { body: BODY, connections: CLIENTS, ms: ROUND_MS }
      const ours = { ...order, port: service.port, path: '/v2/noop/runsync', headers: [service.auth] }
      const bare = { ...order, port: floor.ready, path: '/runsync', headers: [] }
      const send = (to: LoadOrder) => load.ask<LoadResult>(to)
      const results = await inTurn(
        rounds,
        () => send(ours),
        () => send(bare),
      )
      const perSecond = (side: readonly LoadResult[]) => median(side.map((result) => result.perSecond))
      return [
        compared('durable runsync, 16 clients', perSecond(results.ours), perSecond(results.other), {
          unit: 'jobs/s',
          against: 'bare, each row its own commit',
          least: 2,
        }),
      ]
    } finally {
      await Promise.all([service.stop(), floor.stop(), load.stop(), stopWorker()])
    }
  })
}
