import { compared, type Row, short } from '../report.ts'
import { besideHandOffFloor } from '../support/beside-floor.ts'
import { JOB_BODY } from '../support/clients.ts'
import { busiestPercent, loadInTurn, perSecond } from '../support/load-in-turn.ts'

const CLIENTS = 16
const LOAD = {
  client: 'socket',
  body: JOB_BODY,
  connections: CLIENTS,
  ms: 2000,
} as const

/** Durable `runsync` with 16 clients and a worker that runs 16 jobs at once: jobs a second. */
export function runsyncThroughput(rounds: number): Promise<readonly Row[]> {
  return besideHandOffFloor({ loops: CLIENTS }, async (sides) => {
    const results = await loadInTurn(rounds, sides, LOAD)
    const against = `bare, each row its own commit (load side used ${short(busiestPercent(results))} % of a core)`
    const [ours, other] = [perSecond(results.ours), perSecond(results.other)]
    return [compared('durable runsync, 16 clients', ours, other, { unit: 'jobs/s', against, least: 1.6 })]
  })
}
