/**
 * `runsync` with the worker that people get, svc_worker with one Python handler, next to the public SDK's own local
 * server with the same handler, which keeps nothing.
 */
import { join } from 'node:path'
import { compared, notMeasured, type Row } from '../report.ts'
import { JOB_BODY } from '../support/clients.ts'
import { withFolder } from '../support/folders.ts'
import { loadInTurn, p50, perSecond } from '../support/load-in-turn.ts'
import { startPythonServer } from '../support/python-servers.ts'
import { createPythonEndpoint, startService } from '../support/service.ts'

const ROUND_MS = 1500
const WHAT = 'durable runsync through svc_worker, one worker'
const AGAINST = "the public SDK's local server"
const [MOST_P50, LEAST_RATE] = [1.5, 0.8]
const CLIENTS = [
  { client: 'socket', name: '' },
  { client: 'fetch', name: ' (fetch)' },
] as const

/** Measures both in turn, with 1 and with 16 clients. */
export function besideLocalServer(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const server = await startPythonServer('runpod', folder, JOB_BODY)
    if ('why' in server) return [notMeasured(WHAT, server.why)]
    const service = await startService(join(folder, 'service'))
    try {
      await createPythonEndpoint(service, 'python')
      const ours = { port: service.port, path: '/v2/python/runsync', headers: [service.auth] }
      const sides = { ours, bare: server.target }
      const rows: Row[] = []
      for (const { client, name } of CLIENTS) {
        const load = { client, body: JOB_BODY, ms: ROUND_MS }
        const one = await loadInTurn(rounds, sides, { ...load, connections: 1 })
        const sixteen = await loadInTurn(rounds, sides, { ...load, connections: 16 })
        rows.push(
          compared(`${WHAT}, 1 client${name}, p50`, p50(one.ours), p50(one.other), {
            ...{ unit: 'ms', against: AGAINST, most: MOST_P50 },
          }),
          compared(`${WHAT}, 16 clients${name}`, perSecond(sixteen.ours), perSecond(sixteen.other), {
            ...{ unit: 'jobs/s', against: AGAINST, least: LEAST_RATE },
          }),
        )
      }
      return rows
    } finally {
      await Promise.all([service.stop(), server.stop()])
    }
  })
}
