import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { inTurn } from '../in-turn.ts'
import { compared, type Row } from '../report.ts'
import { median } from '../statistics.ts'
import { startFloorWorker } from '../support/floor-worker.ts'
import { withFolder } from '../support/folders.ts'
import { latencies } from '../support/latency.ts'
import { startProgram } from '../support/programs.ts'
import { createWarmEndpoint, startService } from '../support/service.ts'

// The largest that fits under the limit of 20 MiB: a picture in base64, as clients send it.
const IMAGE_BYTES = 15_000_000
const CALLS = 4

/** 20 MB of input through a worker that gives them back. */
export function largeBodies(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const service = await startService(join(folder, 'service'))
    const floor = await startProgram<number>('hand-off-floor', ['-'])
    const stopWorker = startFloorWorker(floor.ready, { loops: 1, output: 'echo' })
    try {
      await createWarmEndpoint(service, 'echo', { output: 'echo' })
      const body = Buffer.from(`{"input":{"image":"${randomBytes(IMAGE_BYTES).toString('base64')}"}}`)
      const ours = { port: service.port, path: '/v2/echo/runsync', headers: [service.auth], body }
      const bare = { port: floor.ready, path: '/runsync', headers: [], body }
      const results = await inTurn(
        rounds,
        () => latencies(ours, CALLS),
        () => latencies(bare, CALLS),
      )
      const p50 = (side: readonly number[][]) => median(side.flat())
      return [
        compared('20 MB runsync there and back, p50', p50(results.ours), p50(results.other), {
          unit: 'ms',
          against: 'bare, nothing stored',
          most: 2,
        }),
      ]
    } finally {
      await Promise.all([service.stop(), floor.stop(), stopWorker()])
    }
  })
}
