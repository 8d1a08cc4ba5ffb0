/**
 * From the call that submits a job to its handler, with the worker in a container of this machine, of one that is
 * reached by ssh and of a swarm of three nodes, without and with a longer way to it; and until 20 workers run.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { allInTurn } from '../in-turn.ts'
import { bounded, type Row, short } from '../report.ts'
import { median, percentile } from '../statistics.ts'
import { IMAGE, untilSo } from '../support/containers.ts'
import { type RemoteSide, withRemoteService } from '../support/far-service.ts'
import { machineMs } from '../support/machine-time.ts'
import { createEndpoint, type Service, workerIsIdle } from '../support/service.ts'

const WHAT = 'submit to handler start, on another machine by ssh'
const ON_SWARM = 'submit to handler start, on a node of a swarm'
const WORKERS = 20
const MANY = `${WORKERS} workers on a swarm of three nodes, until all run a job`
const CALLS = 50
// A worker that has just answered asks for the next job, which takes a round trip of its own: this one waits for jobs. ms.
const IDLE_MS = 120
const LONGER_MS = 20
const WAYS = { near: 0, far: LONGER_MS }
// The clock is that of this machine in every container of it.
const HANDLER = 'import time\ndef handler(job):\n    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) / 1e6\n'

/** Measures here and there in turn. */
export async function remoteStart(rounds: number): Promise<readonly Row[]> {
  const bySsh = await withRemoteService(WHAT, WAYS, (side) =>
    measure(rounds, side, { what: WHAT, ways: ['near', 'far'] }),
  )
  const rows = [...bySsh]
  for (const way of ['near', 'far'] as const) {
    const onSwarm = async (side: RemoteSide) => {
      const started = await measure(rounds, side, { what: ON_SWARM, ways: [way] })
      return way === 'near' ? [...started, await manyWorkers(side)] : started
    }
    rows.push(...(await withRemoteService(ON_SWARM, { [way]: WAYS[way] }, onSwarm, 'swarm')))
  }
  return rows
}

async function measure(
  rounds: number,
  { service, folder, searchPath }: RemoteSide,
  { what, ways }: { readonly what: string; readonly ways: readonly (keyof typeof WAYS)[] },
): Promise<readonly Row[]> {
  const handler = join(folder, 'code', 'handler.py')
  mkdirSync(join(folder, 'code'))
  writeFileSync(handler, HANDLER)
  const sides = ['here', ...ways] as const
  for (const id of sides) {
    const container = { image: IMAGE, ...(id === 'here' ? {} : { machine: id }) }
    await createEndpoint(service, { id, handler, container, workersMin: 1, workersMax: 1 })
    await workerIsIdle(service, id)
  }
  const results = await allInTurn(
    rounds,
    sides.map((id) => () => calls(service, id)),
  )
  const [here = [], ...there] = results.map((ofRounds) => ofRounds.flat())
  const more = async (way: keyof typeof WAYS, samples: readonly number[]): Promise<Row> => {
    const trip = await roundTrip(way, searchPath)
    const longer = WAYS[way] === 0 ? '' : `, ${WAYS[way]} ms longer`
    const row = bounded(`${what}${longer}: more than here, p50`, median(samples) - median(here), trip, 'ms')
    const p50 = `p50 ${short(median(samples))} ms, here ${short(median(here))} ms`
    const p99 = `p99 ${short(percentile(samples, 0.99))} ms, here ${short(percentile(here, 0.99))} ms`
    return { ...row, figure: `${row.figure}; ${p50}; ${p99}`, target: `<= a round trip by ssh, ${short(trip)} ms` }
  }
  const rows: Row[] = []
  for (const [at, way] of ways.entries()) rows.push(await more(way, there[at] ?? []))
  return rows
}

// A worker for each job that waits, at once.
const AT_ONCE = { scaler: { type: 'REQUEST_COUNT', value: 1 } } as const
const WAITS = 'import time\ndef handler(job):\n    time.sleep(3600)\n'

/** Of an endpoint without workers: how long until so many jobs run side by side, there and here. */
async function manyWorkers({ service, folder }: RemoteSide): Promise<Row> {
  const handler = join(folder, 'waits.py')
  writeFileSync(handler, WAITS)
  const until = async (id: string, machine: object, workers: number) => {
    const container = { image: IMAGE, ...machine }
    await createEndpoint(service, { id, handler, container, workersMin: 0, workersMax: workers, ...AT_ONCE })
    const start = performance.now()
    for (let n = 0; n < workers; n++) await service.call('POST', `/v2/${id}/run`, { input: {} })
    await untilSo(async () => {
      const { jobs } = (await service.call('GET', `/v2/${id}/health`)) as { jobs: { inProgress: number } }
      return jobs.inProgress === workers
    })
    const took = (performance.now() - start) / 1000
    await service.call('DELETE', `/api/endpoints/${id}`)
    return took
  }
  const near = { machine: 'near' }
  const one = await until('one-there', near, 1)
  const there = await until('many-there', near, WORKERS)
  const here = await until('many-here', {}, WORKERS)
  return {
    what: MANY,
    figure: `${short(there)} s; the first one ${short(one)} s`,
    against: `${short(here)} s here`,
    ratio: there / here,
    target: 'none, for comparison',
    holds: undefined,
  }
}

async function calls(service: Service, id: string): Promise<number[]> {
  const samples: number[] = []
  for (let n = 0; n < CALLS; n++) {
    await pause(IDLE_MS)
    const submitted = machineMs()
    const { output } = (await service.call('POST', `/v2/${id}/runsync`, { input: {} })) as { output: number }
    samples.push(output - submitted)
  }
  return samples
}

/** From a line that is written to `cat` over ssh until it is back, ms. */
async function roundTrip(to: string, searchPath: string): Promise<number> {
  const child = spawn('ssh', [to, 'cat'], { env: { ...process.env, PATH: searchPath }, stdio: 'pipe' })
  const samples: number[] = []
  try {
    for (let n = 0; n <= CALLS; n++) {
      const start = performance.now()
      child.stdin.write(`${n}\n`)
      for (let seen = ''; !seen.endsWith(`${n}\n`); ) seen += String((await once(child.stdout, 'data'))[0])
      if (n > 0) samples.push(performance.now() - start)
    }
    return median(samples)
  } finally {
    child.kill()
  }
}
