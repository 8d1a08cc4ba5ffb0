import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { LoadOrder, LoadResult } from '../programs/load.ts'
import { compared, type Row } from '../report.ts'
import { median } from '../statistics.ts'
import { withFolder } from '../support/folders.ts'
import { growthRows, MOST_GROWTH, p50InTurn, type Sized, withSizes } from '../support/growth.ts'
import { type Program, startProgram } from '../support/programs.ts'
import { createEndpoint, parkedCommand, type Service, startService } from '../support/service.ts'

const ID = 'many'
// An endpoint has a hundred workers at most; with five jobs each they wait in five hundred calls.
const SIZES = [10, 500]
const MOST_WORKERS = 100
const MS = 1000
const BODY = '{"input":{"prompt":"a ship in a dry dock"}}'
// Fewer clients than the fewest workers, so that there is always one that waits.
const CONNECTIONS = 8

type Side = { readonly service: Service }

/** Dispatches to 10 and 500 calls that wait for a job: each runsync is one. */
export function growthWorkers(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const load = await startProgram('load')
    try {
      return await withSizes(
        SIZES,
        (size) => openSide(join(folder, String(size)), size),
        async (sides) => {
          const p50 = await p50InTurn(rounds, sides, async ({ service }) => (await send(load, service, 1)).samples)
          const rate = await ratesInTurn(rounds, sides, load)
          const text = (at: number) => String(sides[at]?.size)
          return [
            ...growthRows((size) => `runsync, 1 client, p50, ${size} calls of workers wait`, sides, p50, 'ms'),
            ...rate.slice(1).map((ours, index) =>
              compared(`dispatches to ${text(index + 1)} waiting calls`, ours, rate[0] ?? Number.NaN, {
                unit: 'jobs/s',
                against: `with ${text(0)}`,
                least: Number((1 / MOST_GROWTH).toFixed(2)),
              }),
            ),
          ]
        },
      )
    } finally {
      await load.stop()
    }
  })
}

async function ratesInTurn(rounds: number, sides: readonly Sized<Side>[], load: Program): Promise<readonly number[]> {
  const rates: number[][] = sides.map(() => [])
  for (let round = -1; round < rounds; round++) {
    for (const [at, { side }] of sides.entries()) {
      const { perSecond } = await send(load, side.service, CONNECTIONS)
      if (round >= 0) rates[at]?.push(perSecond)
    }
  }
  return rates.map(median)
}

function send(load: Program, { port, auth }: Service, connections: number): Promise<LoadResult> {
  const path = `/v2/${ID}/runsync`
  return load.ask({
    client: 'socket',
    port,
    path,
    headers: [auth],
    body: BODY,
    connections,
    ms: MS,
  } satisfies LoadOrder)
}

async function openSide(folder: string, calls: number): Promise<Side & { readonly close: () => Promise<void> }> {
  const workers = Math.min(calls, MOST_WORKERS)
  const identities = join(folder, 'identities')
  mkdirSync(identities, { recursive: true })
  const service = await startService(join(folder, 'service'))
  await service.call('PATCH', '/api/settings', { maxWorkers: workers })
  const concurrency = Math.ceil(calls / workers)
  const settings = { workersMin: workers, workersMax: workers, concurrency, freezeIdle: false }
  await createEndpoint(service, { id: ID, command: parkedCommand(identities), ...settings })
  while (readdirSync(identities).filter((name) => !name.endsWith('.new')).length < workers) await pause(20)
  const program = await startProgram('take-jobs', [identities, String(concurrency)])
  await untilReady(service, workers)
  return {
    service,
    async close() {
      await program.stop()
      await service.stop()
    },
  }
}

async function untilReady(service: Service, count: number): Promise<void> {
  for (;;) {
    const health = (await service.call('GET', `/v2/${ID}/health`)) as { readonly workers: { readonly idle: number } }
    if (health.workers.idle >= count) return
    await pause(20)
  }
}
