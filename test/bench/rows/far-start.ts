/**
 * From the call that submits a job to its handler, with the worker in a container of this machine and of one that is
 * reached by ssh, without and with a longer way to it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { allInTurn } from '../in-turn.ts'
import { bounded, type Row, short } from '../report.ts'
import { median, percentile } from '../statistics.ts'
import { IMAGE } from '../support/containers.ts'
import { type FarSide, withFarService } from '../support/far-service.ts'
import { machineMs } from '../support/machine-time.ts'
import { createEndpoint, type Service, workerIsIdle } from '../support/service.ts'

const WHAT = 'submit to handler start, on another machine by ssh'
const CALLS = 50
// A worker that has just answered asks for the next job, which takes a round trip of its own: this one waits for jobs. ms.
const IDLE_MS = 120
const LONGER_MS = 20
const WAYS = { near: 0, far: LONGER_MS }
// The clock is that of this machine in every container of it.
const HANDLER = 'import time\ndef handler(job):\n    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) / 1e6\n'

/** Measures the three in turn. */
export function farStart(rounds: number): Promise<readonly Row[]> {
  return withFarService(WHAT, WAYS, (side) => measure(rounds, side))
}

async function measure(rounds: number, { service, folder, searchPath }: FarSide): Promise<readonly Row[]> {
  const handler = join(folder, 'code', 'handler.py')
  mkdirSync(join(folder, 'code'))
  writeFileSync(handler, HANDLER)
  const sides = ['here', 'near', 'far'] as const
  for (const id of sides) {
    const container = { image: IMAGE, ...(id === 'here' ? {} : { machine: id }) }
    await createEndpoint(service, { id, handler, container, workersMin: 1, workersMax: 1 })
    await workerIsIdle(service, id)
  }
  const results = await allInTurn(
    rounds,
    sides.map((id) => () => calls(service, id)),
  )
  const [here = [], near = [], far = []] = results.map((ofRounds) => ofRounds.flat())
  const more = async (what: string, samples: readonly number[], way: string): Promise<Row> => {
    const trip = await roundTrip(way, searchPath)
    const row = bounded(`${WHAT}${what}: more than here, p50`, median(samples) - median(here), trip, 'ms')
    const p50 = `p50 ${short(median(samples))} ms, here ${short(median(here))} ms`
    const p99 = `p99 ${short(percentile(samples, 0.99))} ms, here ${short(percentile(here, 0.99))} ms`
    return { ...row, figure: `${row.figure}; ${p50}; ${p99}`, target: `<= a round trip by ssh, ${short(trip)} ms` }
  }
  return [await more('', near, 'near'), await more(`, ${LONGER_MS} ms longer`, far, 'far')]
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
