import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Row } from '../report.ts'
import { type Filled, growthOfFolders, p50InTurn, startsOf } from '../support/growth.ts'
import { latencies } from '../support/latency.ts'
import { seedEndedJobs } from '../support/seed.ts'

const ID = 'ended'
const CALLS = 50
const SUBMIT = Buffer.from('{"input":{"prompt":"a ship in a dry dock"}}')
const READS = [
  ['newest 50', ''],
  ['newest 50 that have failed', '&status=FAILED'],
  ['50 from the middle', '&cursor=MIDDLE'],
  ['search, a word of every 10th', '&q=harbour'],
  ['search, two words and a state', '&q=keel%20sail&status=COMPLETED'],
  ['search, no job', '&q=nothing'],
] as const

/** Ten thousand ended jobs, ten and a hundred times as many. @param large begins with a hundred thousand */
export function growthEnded(rounds: number, large: boolean): Promise<readonly Row[]> {
  return growthOfFolders(
    { things: 'ended jobs', large },
    (folder, jobs) => seedEndedJobs(folder, { endpointId: ID, command: 'true', workers: 0, jobs }),
    async (sides, add) => {
      for (const { side } of sides) await side.service.call('POST', `/api/endpoints/${ID}/pause`)
      add('run, p50', await p50InTurn(rounds, sides, submits))
      for (const [what, query] of READS) add(`${what}, p50`, await p50InTurn(rounds, sides, reads(query)))
      add('start to first 200', await startsOf(rounds, sides, ID))
      add(
        'on the disk, a job',
        sides.map(({ side, size }) => bytesOf(side.folder) / size),
        'B',
      )
    },
  )
}

const submits = ({ service: { port, auth } }: Filled) =>
  latencies({ port, path: `/v2/${ID}/run`, headers: [auth], body: SUBMIT }, CALLS)

const reads =
  (query: string) =>
  ({ service: { port, auth } }: Filled, jobs: number) => {
    const path = `/v2/${ID}/requests?limit=50${query.replace('MIDDLE', String(jobs / 2))}`
    return latencies({ port, path, headers: [auth] }, CALLS)
  }

function bytesOf(folder: string): number {
  const files = readdirSync(folder).filter((name) => name.startsWith('drydock.db'))
  return files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}
