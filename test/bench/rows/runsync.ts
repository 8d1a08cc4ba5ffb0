import { inTurn } from '../in-turn.ts'
import { compared, type Row, short } from '../report.ts'
import { median, percentile } from '../statistics.ts'
import { besideHandOffFloor, type Target } from '../support/beside-floor.ts'
import { JOB_BODY } from '../support/clients.ts'
import { latencies } from '../support/latency.ts'

const BODY = Buffer.from(JOB_BODY)
const CALLS = 500
const P50_MOST = 1.6

/** Durable `runsync` with a handler that does nothing, one client: how long a call takes. */
export function runsyncLatency(rounds: number): Promise<readonly Row[]> {
  return besideHandOffFloor({}, async (sides) => {
    const calls = (target: Target) => () => latencies({ ...target, body: BODY }, CALLS)
    const { ours, other } = await inTurn(rounds, calls(sides.ours), calls(sides.bare))
    const row = compared('durable runsync, 1 client, p50', median(ours.map(median)), median(other.map(median)), {
      ...{ unit: 'ms', against: 'two bare round trips and a commit', most: P50_MOST },
    })
    const p99 = (side: readonly (readonly number[])[]) => short(percentile(side.flat(), 0.99))
    return [{ ...row, figure: `${row.figure}, p99 ${p99(ours)} ms (bare ${p99(other)} ms)` }]
  })
}
