import { inTurn } from '../in-turn.ts'
import { bounded, compared, type Row, short } from '../report.ts'
import { median, percentile } from '../statistics.ts'
import { besideHandOffFloor } from '../support/beside-floor.ts'
import { latencies } from '../support/latency.ts'
import { loadInTurn } from '../support/load-in-turn.ts'

const BODY = '{"input":{"prompt":"a ship in a dry dock","steps":20}}'
const CALLS = 500
const WARM_CALLS = 500
// Some 1,500 calls; the round that is thrown away warms fetch up, which takes longer than a socket.
const ROUND_MS = 2000
const AGAINST_BARE = 'two bare round trips and a commit'
const P50_MOST = 1.6
const P99_MOST_MS = 6

type Samples = readonly number[]
const p50 = (side: readonly Samples[]) => median(side.map(median))
const p99 = (side: readonly Samples[]) => percentile(side.flat(), 0.99)

/** Durable `runsync` with a handler that does nothing, one client: how long a call takes. */
export async function runsyncLatency(rounds: number): Promise<readonly Row[]> {
  return [...(await overSockets(rounds)), ...(await overFetch(rounds))]
}

// Client and worker cost next to nothing: what is left are the servers.
function overSockets(rounds: number): Promise<readonly Row[]> {
  return besideHandOffFloor({}, async (sides) => {
    const body = Buffer.from(BODY)
    const ours = () => latencies({ ...sides.ours, body }, CALLS)
    const bare = () => latencies({ ...sides.bare, body }, CALLS)
    await latencies({ ...sides.ours, body }, WARM_CALLS)
    await latencies({ ...sides.bare, body }, WARM_CALLS)
    const { ours: samples, other } = await inTurn(rounds, ours, bare)
    return latencyRows('durable runsync, 1 client', samples, other)
  })
}

// Client and worker as one writes them, on both sides.
function overFetch(rounds: number): Promise<readonly Row[]> {
  return besideHandOffFloor({ program: 'fetch-worker' }, async (sides) => {
    const order = { client: 'fetch', body: BODY, connections: 1, ms: ROUND_MS } as const
    const { ours, other } = await loadInTurn(rounds, sides, order)
    const samples = (side: typeof ours) => side.map((result) => result.samples)
    return latencyRows('durable runsync, 1 client (fetch)', samples(ours), samples(other))
  })
}

function latencyRows(what: string, ours: readonly Samples[], other: readonly Samples[]): readonly Row[] {
  return [
    compared(`${what}, p50`, p50(ours), p50(other), { unit: 'ms', against: AGAINST_BARE, most: P50_MOST }),
    bounded(`${what}, p99 (bare: ${short(p99(other))} ms)`, p99(ours), P99_MOST_MS, 'ms'),
  ]
}
