import { join } from 'node:path'
import { inTurn } from '../in-turn.ts'
import type { LoadOrder, LoadResult } from '../programs/load.ts'
import { compared, type Row, short } from '../report.ts'
import { median } from '../statistics.ts'
import { withFolder } from '../support/folders.ts'
import { startProgram } from '../support/programs.ts'
import { createEndpoint, startService } from '../support/service.ts'

const BODY = '{"input":{"prompt":"a ship in a dry dock","steps":20}}'
const ROUND_MS = 3000

/** Durable `run`: how many jobs a second are accepted. The endpoint is paused, so that only submits count. */
export function runThroughput(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const service = await startService(join(folder, 'service'))
    const floor = await startProgram<number>('accept-floor', [join(folder, 'floor.db')])
    const load = await startProgram('load')
    try {
      await createEndpoint(service, { id: 'paused', command: 'true', workersMin: 0, workersMax: 1 })
      await service.call('POST', '/api/endpoints/paused/pause')
      const order = { body: BODY, connections: 64, ms: ROUND_MS }
      const ours = { ...order, port: service.port, path: '/v2/paused/run', headers: [service.auth] }
      const bare = { ...order, port: floor.ready, path: '/run', headers: [] }
      const send = (to: LoadOrder) => load.ask<LoadResult>(to)
      const results = await inTurn(
        rounds,
        () => send(ours),
        () => send(bare),
      )
      const perSecond = (side: readonly LoadResult[]) => median(side.map((result) => result.perSecond))
      const busy = Math.max(...[...results.ours, ...results.other].map((result) => result.busy))
      return [
        compared('durable run, 64 connections', perSecond(results.ours), perSecond(results.other), {
          unit: 'accepted/s',
          against: `bare (load side used ${short(busy * 100)} % of a core)`,
          least: 0.6,
        }),
      ]
    } finally {
      await Promise.all([service.stop(), floor.stop(), load.stop()])
    }
  })
}
