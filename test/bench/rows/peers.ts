/**
 * Drydock and other queues and servers, all in one run and in turn: from submit to completed, with a handler that
 * does nothing, in a worker process of its own that runs 64 jobs at once. Client and worker of each side are what its
 * users have: its own library, or HTTP. All but Ray Serve have a job on the disk before they say that they have it.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { residentMb } from '../../support/resident-memory.ts'
import { allInTurn } from '../in-turn.ts'
import type { LoadOrder, LoadResult } from '../programs/load.ts'
import { type Row, short } from '../report.ts'
import { median, percentile } from '../statistics.ts'
import { withFolder } from '../support/folders.ts'
import { freePort } from '../support/free-port.ts'
import { perSecond } from '../support/load-in-turn.ts'
import { startPostgres } from '../support/postgres.ts'
import { startProgram } from '../support/programs.ts'
import { startRayServe } from '../support/ray.ts'
import { startRedis } from '../support/redis.ts'
import { createWarmEndpoint, startService } from '../support/service.ts'
import { treeMemoryMb } from '../support/tree-memory.ts'

const CLIENTS = [1, 16, 64]
const JOBS_AT_ONCE = 64
const ROUND_MS = 2000
const REST_MS = 10_000
const BODY = '{"input":{"prompt":"a ship in a dry dock","steps":20}}'
const WHAT = 'submit to completed'

/** One that can be measured. */
type Side = {
  readonly name: string
  readonly target: Omit<LoadOrder, 'connections' | 'ms' | 'body'>
  /** Memory of the server, without the worker where that is a process of ours. */
  readonly memoryMb: () => number
  readonly stop: () => Promise<void>
}

/** One that may be missing. */
type Peer = {
  readonly name: string
  readonly missing: string
  readonly start: (folder: string) => Promise<Omit<Side, 'name'> | undefined>
}

const PEERS: readonly Peer[] = [
  {
    name: 'BullMQ on Redis',
    missing: 'no redis-server on the PATH: apt-get install redis-server',
    async start(folder) {
      const port = await freePort()
      const redis = await startRedis(folder, port)
      if (redis === undefined) return undefined
      const worker = await startProgram('bullmq-worker', [String(port), String(JOBS_AT_ONCE)])
      return {
        target: { client: 'bullmq', port, path: 'bench', headers: [] },
        memoryMb: () => treeMemoryMb(redis.pid),
        stop: () => worker.stop().then(redis.stop),
      }
    },
  },
  {
    name: 'pg-boss on PostgreSQL',
    missing: 'no postgres and initdb: apt-get install postgresql',
    async start(folder) {
      const port = await freePort()
      const postgres = await startPostgres(folder, port)
      if (postgres === undefined) return undefined
      const worker = await startProgram('pg-boss-worker', [String(port)])
      return {
        target: { client: 'pg-boss', port, path: 'bench', headers: [] },
        memoryMb: () => treeMemoryMb(postgres.pid),
        stop: () => worker.stop().then(postgres.stop),
      }
    },
  },
  {
    name: 'Ray Serve (keeps nothing)',
    missing: 'python3 imports no ray.serve: python3 -m pip install "ray[serve]"',
    async start(folder) {
      const port = await freePort()
      const ray = await startRayServe(folder, port)
      if (ray === undefined) return undefined
      return {
        target: { client: 'node:http', port, path: '/', headers: [] },
        memoryMb: () => treeMemoryMb(ray.pid),
        stop: ray.stop,
      }
    },
  },
]

/** Measures all that are there; a row says how to install each of the others. */
export function besidePeers(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const sides: Side[] = []
    const missing: Row[] = []
    try {
      sides.push(await startOurs(folder))
      for (const { name, missing: why, start } of PEERS) {
        const side = await start(folder)
        if (side === undefined) missing.push(notMeasured(name, why))
        else sides.push({ name, ...side })
      }
      await pause(REST_MS)
      const memory = sides.map(({ memoryMb }) => memoryMb())
      return [...(await loadAll(sides, rounds)), beside('memory at rest', 'MB', sides, memory), ...missing]
    } finally {
      for (const { stop } of sides.toReversed()) await stop()
    }
  })
}

async function startOurs(folder: string): Promise<Side> {
  const service = await startService(join(folder, 'service'))
  await createWarmEndpoint(service, 'bench', { program: 'fetch-worker', loops: JOBS_AT_ONCE })
  return {
    name: 'Drydock',
    target: { client: 'node:http', port: service.port, path: '/v2/bench/runsync', headers: [service.auth] },
    memoryMb: () => residentMb(service.pid),
    stop: service.stop,
  }
}

async function loadAll(sides: readonly Side[], rounds: number): Promise<readonly Row[]> {
  const load = await startProgram('load')
  const rows: Row[] = []
  try {
    for (const clients of CLIENTS) {
      const order = { body: BODY, connections: clients, ms: ROUND_MS }
      const send = (side: Side) => () => load.ask<LoadResult>({ ...side.target, ...order } satisfies LoadOrder)
      const results = await allInTurn(rounds, sides.map(send))
      const samples = results.map((side) => side.map((result) => result.samples))
      const what = `${WHAT}, ${clients} ${clients === 1 ? 'client' : 'clients'}`
      rows.push(
        beside(
          `${what}, p50`,
          'ms',
          sides,
          samples.map((side) => median(side.map(median))),
        ),
        beside(
          `${what}, p99`,
          'ms',
          sides,
          samples.map((side) => percentile(side.flat(), 0.99)),
        ),
        beside(what, 'jobs/s', sides, results.map(perSecond)),
      )
    }
  } finally {
    await load.stop()
  }
  return rows
}

function beside(what: string, unit: string, sides: readonly Side[], values: readonly number[]): Row {
  const named = sides.map(({ name }, at) => ({ name, value: values[at] ?? Number.NaN }))
  const [ours, ...others] = named
  return {
    what,
    figure: `${short(ours?.value ?? Number.NaN)} ${unit}`,
    against: others.map(({ name, value }) => `${name} ${short(value)}`).join(', '),
    target: 'none, for comparison',
    holds: undefined,
    sides: { unit, of: named },
  }
}

function notMeasured(name: string, why: string): Row {
  const target = 'none, for comparison'
  return { what: `${WHAT}, ${name}`, figure: 'not measured', against: why, target, holds: undefined }
}
