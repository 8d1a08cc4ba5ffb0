/**
 * The cost of monitoring: `runsync` on a service whose traces are exported and whose stats are read once a second,
 * compared with the same service without either.
 */
import { join } from 'node:path'
import { inTurn } from '../in-turn.ts'
import type { Monitored, ScrapeOrder } from '../programs/monitor.ts'
import { compared, type Row, short } from '../report.ts'
import { median } from '../statistics.ts'
import type { Sides, Target } from '../support/beside-floor.ts'
import { JOB_BODY } from '../support/clients.ts'
import { withFolder } from '../support/folders.ts'
import { latencies } from '../support/latency.ts'
import { loadInTurn, perSecond } from '../support/load-in-turn.ts'
import { startProgram } from '../support/programs.ts'
import { createWarmEndpoint, type Service, startService } from '../support/service.ts'

const CLIENTS = 16
const ROUND_MS = 3000
const CALLS = 500
// Source: ours, 5 %.
const [MOST, LEAST] = [1.05, 0.95]

/** Measures both sides in turn. */
export function monitoringCost(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const monitor = await startProgram<number>('monitor')
    const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${monitor.ready}` }
    const watched = await startService(join(folder, 'watched'), traces)
    const alone = await startService(join(folder, 'alone'))
    try {
      await monitor.ask<Monitored>({ port: watched.port, auth: watched.auth } satisfies ScrapeOrder)
      const sides = { ours: await ready(watched), bare: await ready(alone) }
      const rows = [await throughput(sides, rounds), await latency(sides, rounds)]
      const { spanBytes, scrapes } = await monitor.ask<Monitored>('so far')
      if (spanBytes === 0 || scrapes === 0) throw new Error('nothing was monitored')
      return rows.map((row) => ({ ...row, figure: `${row.figure} (${scrapes} scrapes, ${short(spanBytes / 1e6)} MB)` }))
    } finally {
      await monitor.stop()
      await Promise.all([watched.stop(), alone.stop()])
    }
  })
}

async function ready(service: Service): Promise<Target> {
  await createWarmEndpoint(service, 'node', { loops: CLIENTS })
  return { port: service.port, path: '/v2/node/runsync', headers: [service.auth] }
}

async function throughput(sides: Sides, rounds: number): Promise<Row> {
  const load = { client: 'socket', body: JOB_BODY, connections: CLIENTS, ms: ROUND_MS } as const
  const results = await loadInTurn(rounds, sides, load)
  const against = { unit: 'jobs/s', against: 'with neither', least: LEAST }
  return compared(
    'durable runsync, 16 clients, traces and figures on',
    perSecond(results.ours),
    perSecond(results.other),
    against,
  )
}

async function latency({ ours, bare }: Sides, rounds: number): Promise<Row> {
  const body = Buffer.from(JOB_BODY)
  const both = await inTurn(
    rounds,
    () => latencies({ ...ours, body }, CALLS),
    () => latencies({ ...bare, body }, CALLS),
  )
  const p50 = (side: readonly (readonly number[])[]) => median(side.map(median))
  const against = { unit: 'ms', against: 'with neither', most: MOST }
  return compared('durable runsync, 1 client, p50, traces and figures on', p50(both.ours), p50(both.other), against)
}
