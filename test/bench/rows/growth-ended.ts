import type { Row } from '../report.ts'
import { type Filled, growthOfFolders, p50InTurn } from '../support/growth.ts'
import { latencies } from '../support/latency.ts'
import { seedManyJobs } from '../support/seed.ts'

const ID = 'ended'
const CALLS = 50
const SUBMIT = Buffer.from('{"input":{"prompt":"a ship in a dry dock"}}')
const READS = [
  ['newest 50', ''],
  ['search, two words and a state', '&q=keel%20sail&status=COMPLETED'],
  ['search, no job', '&q=nothing'],
] as const

/** Ten thousand ended jobs, and a hundred times as many. @param large begins with a hundred thousand */
export function growthEnded(rounds: number, large: boolean): Promise<readonly Row[]> {
  return growthOfFolders(
    { things: 'ended jobs', large },
    (folder, jobs) => seedManyJobs(folder, { endpointId: ID, command: 'true', workers: 0, jobs, ended: true }),
    async (sides, add) => {
      for (const { side } of sides) await side.service.call('POST', `/api/endpoints/${ID}/pause`)
      add('run, p50', await p50InTurn(rounds, sides, submits))
      for (const [what, query] of READS) add(`${what}, p50`, await p50InTurn(rounds, sides, reads(query)))
    },
  )
}

const submits = ({ service: { port, auth } }: Filled) =>
  latencies({ port, path: `/v2/${ID}/run`, headers: [auth], body: SUBMIT }, CALLS)

const reads =
  (query: string) =>
  ({ service: { port, auth } }: Filled) =>
    latencies({ port, path: `/v2/${ID}/requests?limit=50${query}`, headers: [auth] }, CALLS)
