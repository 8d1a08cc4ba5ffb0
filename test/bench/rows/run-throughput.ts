import { compared, type Row, short } from '../report.ts'
import { besideAcceptFloor } from '../support/beside-floor.ts'
import { busiestPercent, loadInTurn, perSecond } from '../support/load-in-turn.ts'

const BODY = '{"input":{"prompt":"a ship in a dry dock","steps":20}}'
const CLIENTS = [
  { client: 'socket', ms: 3000, what: 'durable run, 64 connections' },
  // Not fetch, which would hide both servers: it gave 11,000/s with a core full where node:http gave 40,000/s.
  { client: 'node:http', ms: 2000, what: 'durable run, 64 connections (node:http)' },
] as const

/** Durable `run`: how many jobs a second are accepted. */
export async function runThroughput(rounds: number): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const client of CLIENTS) rows.push(await rowFor(client, rounds))
  return rows
}

// Each client finds both sides fresh.
function rowFor({ client, ms, what }: (typeof CLIENTS)[number], rounds: number): Promise<Row> {
  return besideAcceptFloor(async (sides) => {
    const results = await loadInTurn(rounds, sides, { client, body: BODY, connections: 64, ms })
    return compared(what, perSecond(results.ours), perSecond(results.other), {
      unit: 'accepted/s',
      against: `bare (load side used ${short(busiestPercent(results))} % of a core)`,
      least: 0.9,
    })
  })
}
