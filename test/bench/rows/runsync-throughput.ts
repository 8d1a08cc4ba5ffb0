import { compared, type Row, short } from '../report.ts'
import { besideHandOffFloor } from '../support/beside-floor.ts'
import { busiestPercent, loadInTurn, perSecond } from '../support/load-in-turn.ts'

const BODY = '{"input":{"prompt":"a ship in a dry dock","steps":20}}'
const CLIENTS = 16

// The second pair is what people have; it costs both sides so much of a small machine that it hides part of the
// servers.
const SIDES = [
  { client: 'socket', program: 'worker', ms: 3000, what: 'durable runsync, 16 clients' },
  { client: 'fetch', program: 'fetch-worker', ms: 2000, what: 'durable runsync, 16 clients (fetch)' },
] as const

/** Durable `runsync` with 16 clients and a worker that runs 16 jobs at once: jobs a second. */
export async function runsyncThroughput(rounds: number): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const sides of SIDES) rows.push(await rowFor(sides, rounds))
  return rows
}

function rowFor({ client, program, ms, what }: (typeof SIDES)[number], rounds: number): Promise<Row> {
  return besideHandOffFloor({ program, loops: CLIENTS }, async (sides) => {
    const results = await loadInTurn(rounds, sides, { client, body: BODY, connections: CLIENTS, ms })
    return compared(what, perSecond(results.ours), perSecond(results.other), {
      unit: 'jobs/s',
      against: `bare, each row its own commit (load side used ${short(busiestPercent(results))} % of a core)`,
      least: 2.5,
    })
  })
}
