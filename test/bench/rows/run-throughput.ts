import { compared, type Row, short } from '../report.ts'
import { besideAcceptFloor } from '../support/beside-floor.ts'
import { JOB_BODY } from '../support/clients.ts'
import { busiestPercent, loadInTurn, perSecond } from '../support/load-in-turn.ts'

const LOAD = {
  client: 'socket',
  body: JOB_BODY,
  connections: 64,
  ms: 2000,
} as const

/** Durable `run`: how many jobs a second are accepted. */
export function runThroughput(rounds: number): Promise<readonly Row[]> {
  return besideAcceptFloor(async (sides) => {
    const results = await loadInTurn(rounds, sides, LOAD)
    const against = `bare, with group commit (load side used ${short(busiestPercent(results))} % of a core)`
    const [ours, other] = [perSecond(results.ours), perSecond(results.other)]
    return [compared('durable run, 64 connections', ours, other, { unit: 'accepted/s', against, least: 0.65 })]
  })
}
