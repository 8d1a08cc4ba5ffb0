/**
 * What-if against reality: five loads are predicted from the settings, then run by real worker processes, and compared.
 * The handler waits and computes nothing, so that a busy machine disturbs it little. Also how long a simulation of
 * 100,000 jobs takes.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { z } from 'zod'
import { endpointConfig } from '../../../src-main/contract/endpoint.ts'
import type { FleetEvent } from '../../../src-main/contract/fleet-events.ts'
import type { JobListItem } from '../../../src-main/contract/job.ts'
import type { jobDetail } from '../../../src-main/contract/management.ts'
import type { LoadPattern, WhatIfAnswer } from '../../../src-main/contract/what-if.ts'
import { percentileOf } from '../../../src-main/features/what-if/rules/answer.ts'
import { patternArrivals, seededRandom } from '../../../src-main/features/what-if/rules/load-patterns.ts'
import { simulate } from '../../../src-main/features/what-if/rules/simulate.ts'
import { bounded, type Row, short, tableText } from '../report.ts'
import { withFolder } from '../support/folders.ts'
import { createEndpoint, type Service, startService } from '../support/service.ts'

const HANDLER = fileURLToPath(new URL('../programs/what_if_handler.py', import.meta.url))

/** How far a prediction may be off; source: docs/what-if.md. */
const MOST_OFF = 0.1
// A difference that no clock of ms tells from none.
const SAME_MS = 10

type Plan = {
  readonly name: string
  readonly load: LoadPattern
  readonly seed: number
  readonly coldStartS: number
  /** Least and most that a job runs, ms. */
  readonly runs: readonly [number, number]
  readonly settings: object
  /** Each so many-th job loses its worker once, or fails. */
  readonly crashEach?: number
  readonly failEach?: number
}

const S = 1000
const PLANS: readonly Plan[] = [
  {
    ...{ name: 'steady', seed: 11, coldStartS: 3, runs: [2000, 4000] },
    load: { type: 'steady', perSecond: 0.6, durationMs: 120 * S },
    settings: { workersMax: 2, idleTimeoutMs: 10 * S, scaler: { type: 'QUEUE_DELAY', value: 4 } },
  },
  {
    ...{ name: 'burst', seed: 12, coldStartS: 3, runs: [800, 1200] },
    load: { type: 'burst', jobs: 24, everyMs: 40 * S, perSecond: 0, durationMs: 120 * S },
    settings: { workersMax: 4, idleTimeoutMs: 5 * S, scaler: { type: 'QUEUE_DELAY', value: 1 } },
  },
  {
    ...{ name: 'day curve', seed: 13, coldStartS: 3, runs: [2000, 4000] },
    load: { type: 'day', lowPerSecond: 0.1, highPerSecond: 1.3, dayMs: 120 * S, durationMs: 120 * S },
    settings: { workersMax: 3, idleTimeoutMs: 10 * S, scaler: { type: 'REQUEST_COUNT', value: 3 } },
  },
  {
    ...{ name: 'with failures', seed: 14, coldStartS: 3, runs: [600, 1400], crashEach: 12, failEach: 7 },
    load: { type: 'steady', perSecond: 1.5, durationMs: 90 * S },
    settings: { workersMax: 2, idleTimeoutMs: 10 * S, scaler: { type: 'QUEUE_DELAY', value: 2 } },
  },
  {
    ...{ name: 'cold starts of 4 s', seed: 15, coldStartS: 4, runs: [800, 1200] },
    load: { type: 'burst', jobs: 3, everyMs: 14 * S, perSecond: 0, durationMs: 120 * S },
    settings: { workersMax: 1, idleTimeoutMs: 1 * S, scaler: { type: 'QUEUE_DELAY', value: 4 } },
  },
]

type Figures = {
  readonly p50: number
  readonly p95: number
  readonly coldStarts: number
  readonly workerSeconds: number
}

/** Predicts and runs them one after the other, and measures the simulation itself. */
export async function whatIfRows(): Promise<readonly Row[]> {
  const rows: Row[] = [simulationTime()]
  await withFolder(async (folder) => {
    const service = await startService(join(folder, 'service'))
    try {
      for (const plan of PLANS) {
        const compared = await compare(service, folder, plan)
        process.stderr.write(`\n${tableText(compared)}\n`)
        rows.push(...compared)
      }
    } finally {
      await service.stop()
    }
  })
  return rows
}

const JOBS = 100_000
const MOST_SIMULATION_S = 3

function simulationTime(): Row {
  const config = endpointConfig.parse({ name: 'x', handler: '/x.py', workersMax: 10 })
  const perSecond = 18
  const spanMs = (JOBS / perSecond) * S
  const random = seededRandom(1)
  const arrivals = patternArrivals({ type: 'steady', perSecond, durationMs: spanMs * 1.01 }, 1).slice(0, JOBS)
  const jobs = arrivals.map((at) => ({ at, executionMs: 300 + 400 * random() }))
  const world = { coldStartMs: [2000, 3000], stopMs: [100], turnaroundMs: 2, slowdown: [1], slots: 1000 }
  const before = process.cpuUsage()
  simulate({ config, jobs, world, spanMs, random })
  const { user, system } = process.cpuUsage(before)
  return bounded(
    `what-if: ${jobs.length} jobs on ${config.workersMax} workers, processor time`,
    (user + system) / 1e6,
    MOST_SIMULATION_S,
    's',
  )
}

async function compare(service: Service, folder: string, plan: Plan): Promise<readonly Row[]> {
  const id = plan.name.replaceAll(' ', '-')
  const marks = join(folder, id)
  mkdirSync(marks)
  const env = { COLD_START_S: String(plan.coldStartS), MARKS: marks }
  await createEndpoint(service, { id, handler: HANDLER, workersMax: 1, idleTimeoutMs: 500, env })
  const { overheadMs, lostMs } = await calibrate(service, id)
  await service.call('PATCH', `/api/endpoints/${id}`, plan.settings)
  const jobs = jobsOf(plan)
  const trace = jobs.map(({ at, ms, crashes }) => {
    const executionMs = ms + overheadMs
    return JSON.stringify({ at, executionMs, lostAfterMs: Array(crashes).fill(ms + lostMs) })
  })
  const load = { type: 'trace', text: trace.join('\n') }
  const answer = (await service.call('POST', `/api/endpoints/${id}/what-if`, { load, vary: {} })) as WhatIfAnswer
  const [present] = answer.rows
  if (present?.waiting === undefined) throw new Error('nothing was predicted')
  const happened = await run(service, id, jobs)
  const predicted = { ...present.waiting, coldStarts: present.coldStarts, workerSeconds: present.workerSeconds }
  return FIGURES.map(({ figure, name, unit, same }) =>
    toRow(`what-if ${plan.name} (${jobs.length} jobs): ${name}`, unit, {
      of: predicted[figure],
      real: happened[figure],
      same,
    }),
  )
}

const FIGURES = [
  { figure: 'p50', name: 'p50 of waiting', unit: 'ms', same: SAME_MS },
  { figure: 'p95', name: 'p95 of waiting', unit: 'ms', same: SAME_MS },
  { figure: 'coldStarts', name: 'cold starts', unit: '', same: 0 },
  { figure: 'workerSeconds', name: 'worker-seconds', unit: 's', same: 0 },
] as const

function toRow(
  what: string,
  unit: string,
  { of, real, same }: { readonly of: number; readonly real: number; readonly same: number },
): Row {
  const off = Math.abs(of - real) <= same ? 0 : Math.abs(of / real - 1)
  return {
    ...{ what, figure: `${short(of)} ${unit}`, against: `${short(real)} ${unit} happened`, ratio: of / real },
    ...{ target: 'within 10 % of it', used: off / MOST_OFF, holds: off <= MOST_OFF },
  }
}

type PlannedJob = { readonly at: number; readonly ms: number; readonly crashes: number; readonly fails: boolean }

function jobsOf({ load, seed, runs: [least, most], crashEach, failEach }: Plan): readonly PlannedJob[] {
  const random = seededRandom(seed + 1)
  const isEach = (n: number, each: number | undefined) => each !== undefined && n % each === each - 1
  return patternArrivals(load, seed).map((at, n) => ({
    at: Math.round(at),
    ms: Math.round(least + (most - least) * random()),
    crashes: isEach(n, crashEach) ? 1 : 0,
    fails: isEach(n, failEach),
  }))
}

const ROUNDS = 3
const JOBS_A_ROUND = 8
const CALIBRATION_MS = 100

/**
 * Lets the service see cold starts, ends, jobs that follow each other, and lost workers.
 * @returns what a job takes in addition to its wait, and how long after a crash it is known
 */
async function calibrate(
  service: Service,
  id: string,
): Promise<{ readonly overheadMs: number; readonly lostMs: number }> {
  const lost: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    for (let n = 0; n < JOBS_A_ROUND; n++)
      await service.call('POST', `/v2/${id}/run`, { input: { ms: CALIBRATION_MS } })
    const input = { ms: CALIBRATION_MS, crashes: 1 }
    const { id: jobId } = (await service.call('POST', `/v2/${id}/run`, { input })) as { id: string }
    await atRest(service, id)
    lost.push((await lostAfter(service, jobId)) - CALIBRATION_MS)
  }
  const spans = (await readJobs(service, id, 0)).map(({ executionTime = 0 }) => executionTime - CALIBRATION_MS)
  return { overheadMs: medianOf(spans), lostMs: medianOf(lost) }
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return percentileOf(sorted, 0.5)
}

type History = Pick<z.infer<typeof jobDetail>, 'history'>

/** From the claim until the job was queued again. */
async function lostAfter(service: Service, jobId: string): Promise<number> {
  const { history } = (await service.call('GET', `/api/jobs/${jobId}`)) as History
  const at = (name: string) => history.find(({ event }) => event === name)?.at ?? Number.NaN
  return at('rescue') - at('claim')
}

async function run(service: Service, id: string, jobs: readonly PlannedJob[]): Promise<Figures> {
  const from = Date.now()
  const start = performance.now()
  const sent: Promise<unknown>[] = []
  for (const { at, ...input } of jobs) {
    await pause(Math.max(0, start + at - performance.now()))
    sent.push(service.call('POST', `/v2/${id}/run`, { input }))
  }
  await Promise.all(sent)
  await atRest(service, id)
  const waits = (await readJobs(service, id, from)).map(({ delayTime = 0 }) => delayTime).sort((a, b) => a - b)
  const { events } = (await service.call(
    'GET',
    `/api/fleet-events?endpoint=${id}&kinds=scale,worker,crash&limit=1000&from=${from}`,
  )) as { events: readonly FleetEvent[] }
  const lives = [...Map.groupBy(events.toReversed(), ({ workerId }) => workerId)].filter(([workerId]) => workerId)
  const timeOf = (life: readonly FleetEvent[], state: string) =>
    life.find(({ event }) => event === state)?.at ?? Number.NaN
  const livedMs = lives.reduce((sum, [, life]) => sum + timeOf(life, 'ended') - timeOf(life, 'initializing'), 0)
  return {
    p50: percentileOf(waits, 0.5),
    p95: percentileOf(waits, 0.95),
    coldStarts: lives.filter(([, life]) => life.some(({ event }) => event === 'idle')).length,
    workerSeconds: livedMs / S,
  }
}

async function readJobs(service: Service, id: string, from: number): Promise<readonly JobListItem[]> {
  const jobs: JobListItem[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const query = `endpoint=${id}&from=${from}&limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`
    const page = (await service.call('GET', `/api/jobs?${query}`)) as { requests: JobListItem[]; cursor?: string }
    jobs.push(...page.requests)
    cursor = page.cursor
  }
  return jobs
}

/** Waits until no job waits or runs and no worker is left. */
async function atRest(service: Service, id: string): Promise<void> {
  for (;;) {
    const { jobs } = (await service.call('GET', `/v2/${id}/health`)) as {
      jobs: { inQueue: number; inProgress: number }
    }
    const { workers } = (await service.call('GET', `/api/workers?endpoint=${id}`)) as { workers: readonly unknown[] }
    if (jobs.inQueue + jobs.inProgress + workers.length === 0) return
    await pause(100)
  }
}
