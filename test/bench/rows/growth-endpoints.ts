import { join } from 'node:path'
import type { Row } from '../report.ts'
import { withFolder } from '../support/folders.ts'
import { growthRows, p50InTurn, withSizes } from '../support/growth.ts'
import { latencies } from '../support/latency.ts'
import { seedFolder } from '../support/seed.ts'
import { type Service, startMs, startService } from '../support/service.ts'

const SIZES = [10, 1000]
// In all, so that the number of endpoints alone is what differs; a thousand have ten each.
const JOBS = 10_000
const CALLS = 100
const SUBMIT = Buffer.from('{"input":{"prompt":"a ship in a dry dock"}}')
const READS = [
  ['newest 50 failed jobs', '/api/jobs?limit=50&status=FAILED'],
  ['number of jobs', '/api/job-count'],
] as const

type Side = { readonly folder: string; readonly service: Service }

/** Ten and a thousand endpoints of which one is asked: what the others cost. */
export function growthEndpoints(rounds: number): Promise<readonly Row[]> {
  return withFolder((folder) =>
    withSizes(
      SIZES,
      (size) => openSide(join(folder, String(size)), size),
      async (sides) => {
        const rows: Row[] = []
        const add = (what: string, figures: readonly number[]) =>
          rows.push(...growthRows((size) => `${what}, ${size} endpoints`, sides, figures, 'ms'))
        add('run, p50', await p50InTurn(rounds, sides, submits))
        for (const [what, path] of READS) add(`${what}, p50`, await p50InTurn(rounds, sides, reads(path)))
        for (const { side } of sides) await side.service.stop()
        add('start to first 200', await p50InTurn(rounds, sides, starts))
        return rows
      },
    ),
  )
}

async function openSide(folder: string, endpoints: number): Promise<Side & { readonly close: () => Promise<void> }> {
  await seedFolder(folder, { endpointId: 'idle', command: 'true', endpoints, workers: 0, jobs: JOBS, ended: true })
  const service = await startService(folder)
  await service.call('POST', '/api/endpoints/idle/pause')
  return { folder, service, close: service.stop }
}

const submits = ({ service: { port, auth } }: Side) =>
  latencies({ port, path: '/v2/idle/run', headers: [auth], body: SUBMIT }, CALLS)

const reads =
  (path: string) =>
  ({ service: { port, auth } }: Side) =>
    latencies({ port, path, headers: [auth] }, CALLS)

const starts = async ({ folder }: Side) => [await startMs(folder, 'idle')]
