/** A request to a load-balanced endpoint with one worker, next to a bare reverse proxy with a worker of the same program. */
import { join } from 'node:path'
import { compared, type Row, short } from '../report.ts'
import { withFolder } from '../support/folders.ts'
import { busiestPercent, loadInTurn, p50, perSecond } from '../support/load-in-turn.ts'
import { startProgram } from '../support/programs.ts'
import { createEndpoint, startService, workerCommand, workerIsIdle } from '../support/service.ts'

const LOAD = { client: 'socket', body: '{"prompt":"a ship in a dry dock"}', connections: 64, ms: 2000 } as const
const WHAT = 'load-balanced request, 64 connections'
const [MOST_P50, LEAST_RATE] = [1.5, 0.6]

/** Measures both in turn. */
export function loadBalancedRequests(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const service = await startService(join(folder, 'service'))
    const worker = await startProgram<number>('web-worker')
    const proxy = await startProgram<number>('bare-proxy', [String(worker.ready)])
    try {
      const command = workerCommand('web-worker')
      await createEndpoint(service, { id: 'web', command, loadBalanced: {}, workersMin: 1, workersMax: 1 })
      await workerIsIdle(service, 'web')
      const sides = {
        ours: { port: service.port, path: '/lb/web/predict', headers: [service.auth] },
        bare: { port: proxy.ready, path: '/predict', headers: [] },
      }
      const results = await loadInTurn(rounds, sides, LOAD)
      const against = `bare reverse proxy (load side used ${short(busiestPercent(results))} % of a core)`
      const { ours, other } = results
      return [
        compared(`${WHAT}, p50`, p50(ours), p50(other), { unit: 'ms', against, most: MOST_P50 }),
        compared(WHAT, perSecond(ours), perSecond(other), { unit: 'requests/s', against, least: LEAST_RATE }),
      ]
    } finally {
      await Promise.all([service.stop(), proxy.stop(), worker.stop()])
    }
  })
}
