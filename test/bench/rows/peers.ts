/**
 * Drydock next to other servers and queues, with one worker and a handler that does nothing: one peer at a time, in turn
 * with Drydock, so that none costs another anything. The client of each side is the one that its users have: its own
 * library, or HTTP by `node:http`.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { inTurn, type Rounds } from '../in-turn.ts'
import type { LoadOrder, LoadResult } from '../programs/load.ts'
import { compared, notMeasured, type Row, short } from '../report.ts'
import { median } from '../statistics.ts'
import type { Target } from '../support/beside-floor.ts'
import { startCelery } from '../support/celery.ts'
import { type ClientKind, JOB_BODY } from '../support/clients.ts'
import { withFolder } from '../support/folders.ts'
import { freePort } from '../support/free-port.ts'
import { p50, p99, perSecond } from '../support/load-in-turn.ts'
import { startPostgres } from '../support/postgres.ts'
import { type Program, startProgram } from '../support/programs.ts'
import { peerPython, startPythonServer } from '../support/python-servers.ts'
import { startRedis } from '../support/redis.ts'
import { createPythonEndpoint, startService } from '../support/service.ts'
import { treeMemoryMb } from '../support/tree-memory.ts'

const CLIENTS = [1, 16] as const
const MOST_ROUNDS = 3
const ROUND_MS = 1000
const REST_MS = 5000

/** One that runs, with the processes of server and worker. `startedAt`: ms of performance.now. */
type Side = {
  readonly send: (connections: number, ms: number) => Promise<LoadResult>
  readonly pids: readonly number[]
  readonly startedAt: number
  readonly stop: () => Promise<unknown>
}

type Peer = {
  readonly name: string
  /** Whether a job is on the disk before its client hears of it. */
  readonly keepsJobs: boolean
  /** Whether the p99 of Drydock is to be below its own. */
  readonly isRival?: true
  readonly start: (folder: string, load: Program) => Promise<Side | { readonly why: string }>
}

const OURS = { name: 'Drydock', keepsJobs: true }

const PEERS: readonly Peer[] = [
  { name: 'local server of the public SDK', keepsJobs: false, start: pythonServer('runpod') },
  { name: 'Cog', keepsJobs: false, isRival: true, start: pythonServer('cog') },
  { name: 'BentoML', keepsJobs: false, isRival: true, start: pythonServer('bentoml') },
  { name: 'LitServe', keepsJobs: false, isRival: true, start: pythonServer('litserve') },
  { name: 'Ray Serve', keepsJobs: false, isRival: true, start: pythonServer('ray') },
  { name: 'Celery on Redis', keepsJobs: true, isRival: true, start: celery },
  { name: 'BullMQ on Redis', keepsJobs: true, start: bullmq },
  { name: 'pg-boss on PostgreSQL', keepsJobs: true, start: pgBoss },
]

const NO_REDIS = { why: 'no redis-server on the PATH: apt-get install redis-server' }
const NO_POSTGRES = { why: 'no postgres and initdb: apt-get install postgresql' }

const sendBy = (load: Program, client: ClientKind, target: Target) => (connections: number, ms: number) =>
  load.ask<LoadResult>({ client, ...target, body: JOB_BODY, connections, ms } satisfies LoadOrder)

async function startOurs(folder: string, load: Program): Promise<Side> {
  const startedAt = performance.now()
  const service = await startService(join(folder, 'service'))
  await createPythonEndpoint(service, 'no-op')
  const target = { port: service.port, path: '/v2/no-op/runsync', headers: [service.auth] }
  return { send: sendBy(load, 'node:http', target), pids: [service.pid], startedAt, stop: service.stop }
}

function pythonServer(name: Parameters<typeof startPythonServer>[0]): Peer['start'] {
  return async (folder, load) => {
    const server = await startPythonServer(name, folder, JOB_BODY)
    if ('why' in server) return server
    return { ...server, send: sendBy(load, 'node:http', server.target), pids: [server.pid] }
  }
}

async function celery(folder: string): ReturnType<Peer['start']> {
  const { ready, python, reason } = await peerPython('celery')
  if (!ready) return { why: reason }
  const startedAt = performance.now()
  const port = await freePort()
  const redis = await startRedis(folder, port)
  if (redis === undefined) return NO_REDIS
  const { ask, workerPid, stop } = startCelery(python, port)
  return {
    ...{ startedAt, pids: [redis.pid, workerPid], stop: () => stop().then(redis.stop) },
    send: (connections, ms) => ask({ body: JOB_BODY, connections, ms }),
  }
}

async function bullmq(folder: string, load: Program): ReturnType<Peer['start']> {
  const startedAt = performance.now()
  const port = await freePort()
  const redis = await startRedis(folder, port)
  if (redis === undefined) return NO_REDIS
  const worker = await startProgram('bullmq-worker', [String(port), String(Math.max(...CLIENTS))])
  const send = sendBy(load, 'bullmq', { port, path: 'bench', headers: [] })
  return { send, pids: [redis.pid, worker.pid], startedAt, stop: () => worker.stop().then(redis.stop) }
}

async function pgBoss(folder: string, load: Program): ReturnType<Peer['start']> {
  const startedAt = performance.now()
  const port = await freePort()
  const postgres = await startPostgres(folder, port)
  if (postgres === undefined) return NO_POSTGRES
  const worker = await startProgram('pg-boss-worker', [String(port)])
  const send = sendBy(load, 'pg-boss', { port, path: 'bench', headers: [] })
  return { send, pids: [postgres.pid, worker.pid], startedAt, stop: () => worker.stop().then(postgres.stop) }
}

type AtRest = { readonly startMs: number; readonly memoryMb: number }
type Compared = { readonly peer: Peer; readonly atRest: AtRest; readonly loads: readonly Rounds<LoadResult>[] }

/** Measures all that are there; a row says how to get each of the others. */
export function besidePeers(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const load = await startProgram('load')
    const service = await startOurs(folder, load)
    try {
      const ours = await restOf(service)
      const measured: Compared[] = []
      const missing: Row[] = []
      for (const peer of PEERS) {
        const result = await withFolder((own) => comparedWith(peer, service, own, load, rounds))
        if ('why' in result) missing.push(notMeasured(`no-op job, ${peer.name}`, result.why))
        else measured.push(result)
      }
      return [...rivalRows(measured), ...allRows(ours, measured), ...missing]
    } finally {
      await service.stop()
      await load.stop()
    }
  })
}

/** Waits for the first answer, and then until it is at rest. */
async function restOf({ send, startedAt, pids }: Side): Promise<AtRest> {
  await send(1, 1)
  const startMs = performance.now() - startedAt
  await pause(REST_MS)
  return { startMs, memoryMb: pids.map(treeMemoryMb).reduce((sum, mb) => sum + mb) }
}

async function comparedWith(
  peer: Peer,
  service: Side,
  folder: string,
  load: Program,
  rounds: number,
): Promise<Compared | { readonly why: string }> {
  const side = await peer.start(folder, load)
  if ('why' in side) return side
  try {
    const atRest = await restOf(side)
    const loads: Rounds<LoadResult>[] = []
    for (const clients of CLIENTS)
      loads.push(
        await inTurn(
          Math.min(rounds, MOST_ROUNDS),
          () => service.send(clients, ROUND_MS),
          () => side.send(clients, ROUND_MS),
        ),
      )
    return { peer, atRest, loads }
  } finally {
    await side.stop()
  }
}

const clientsText = (clients: number) => `${clients} ${clients === 1 ? 'client' : 'clients'}`

/** Drydock and the rival that leaves it least room, in the rounds that both had. */
function rivalRows(measured: readonly Compared[]): readonly Row[] {
  const rivals = measured.filter(({ peer }) => peer.isRival)
  return CLIENTS.flatMap((clients, at) => {
    const pairs = rivals.map(({ peer, loads }) => {
      const { ours, other } = loads[at] as Rounds<LoadResult>
      return { name: peer.name, ours: p99(ours), other: p99(other) }
    })
    const [worst] = pairs.toSorted((a, b) => b.ours / b.other - a.ours / a.other)
    if (worst === undefined) return []
    const names = rivals.map(({ peer }) => peer.name).join(', ')
    const what = `no-op job, ${clientsText(clients)}, p99, next to the quickest of ${names}`
    return [compared(what, worst.ours, worst.other, { unit: 'ms', against: worst.name, most: 1 })]
  })
}

/** A row a figure, with all sides. */
function allRows(ours: AtRest, measured: readonly Compared[]): readonly Row[] {
  const row = (what: string, unit: string, mine: number, values: readonly number[]): Row => {
    const others = measured.map(({ peer: { name, keepsJobs } }, at) => ({
      ...{ name, keepsJobs, value: values[at] ?? Number.NaN },
    }))
    return {
      what: `no-op job, ${what}`,
      figure: `${short(mine)} ${unit}`,
      against: others.map(({ name, value }) => `${name} ${short(value)}`).join(', '),
      target: 'none, for comparison',
      holds: undefined,
      sides: { unit, of: [{ ...OURS, value: mine }, ...others] },
    }
  }
  const loaded = (at: number, what: string, unit: string, figureOf: (side: readonly LoadResult[]) => number) => {
    const both = measured.flatMap(({ loads }) => loads[at] ?? [])
    const mine = median(both.map(({ ours: side }) => figureOf(side)))
    return row(
      what,
      unit,
      mine,
      both.map(({ other }) => figureOf(other)),
    )
  }
  return [
    ...CLIENTS.flatMap((clients, at) => [
      loaded(at, `${clientsText(clients)}, p50`, 'ms', p50),
      loaded(at, `${clientsText(clients)}, p99`, 'ms', p99),
      loaded(at, clientsText(clients), 'jobs/s', perSecond),
    ]),
    row(
      'memory at rest',
      'MB',
      ours.memoryMb,
      measured.map(({ atRest }) => atRest.memoryMb),
    ),
    row(
      'start to first answer',
      'ms',
      ours.startMs,
      measured.map(({ atRest }) => atRest.startMs),
    ),
  ]
}
