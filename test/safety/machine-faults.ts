/**
 * Faults of machines on which workers run: what happens to the jobs of clients who go on meanwhile. Two books are kept
 * outside the service: what clients were told, here, and what handlers did, there. Each place of workers (SSH, a swarm)
 * gives a `FaultPlace`; the faults themselves are `MachineFault`s. Source: docs/spec/machines.md, 3.
 */
import { expect } from 'vitest'
import type { ContainerService } from '../support/container-service.ts'
import { until } from '../support/served-service.ts'

/** A service, and the machines that run its workers. */
export type FaultPlace = {
  readonly service: Pick<
    ContainerService,
    'ask' | 'get' | 'kill' | 'start' | 'createHandler' | 'historyOf' | 'integrity' | 'stop'
  >
  /** Settings that let an endpoint's workers run there: image, machine, and `/ledger` as a folder that they write. */
  readonly container: object
  /** All lines that handlers have written into `/ledger/lines` on all machines. */
  readonly ledger: () => Promise<readonly string[]>
  /** Whole ids of the containers of workers that run now on machines that can be asked. */
  readonly running: () => Promise<readonly string[]>
  /** Containers of workers that began and ended on the machines since then, in the order of their engine. @param since s */
  readonly events: (since: number) => Promise<readonly ContainerEvent[]>
  /** Settles when the service reaches all machines. */
  readonly reached: () => Promise<void>
}

export type ContainerEvent = { readonly container: string; readonly action: 'start' | 'die' }

export type MachineFault = {
  readonly make: () => Promise<void>
  readonly mend: () => Promise<void>
  /** How long it lasts, ms; undefined: it is mended at once. */
  readonly lastsMs?: number
  /** Containers end with it, so that there is nothing to fence off. */
  readonly endsContainers?: true
}

/** Jobs sent before, during and after the fault, next to those that run when it happens; each takes `s` seconds. */
type Load = { readonly before: number; readonly during: number; readonly after: number; readonly s: number }

/** A second of a run, counted from the fault. */
export type Second = {
  readonly s: number
  /** Missing if the service did not answer. */
  readonly jobs?: { readonly inQueue: number; readonly inProgress: number; readonly completed: number }
  /** Waiting reasons of the endpoint and of each running job. */
  readonly reasons: readonly string[]
  readonly workers: readonly string[]
  readonly machines: readonly string[]
}

/** How many workers run. */
export const WORKERS = 2
const FEW: Load = { before: 6, during: 10, after: 6, s: 0.1 }
/** 200 jobs of half a second. */
export const MANY: Load = { before: 98, during: 60, after: 40, s: 0.5 }
// Longer than a fault needs to come, and than the two that run then; s.
const LONG_S = 4
// From the mended fault to the end of all jobs, ms. Source: ours, ssh is found dead after 9 s and tried again each 10.
const ALL_DONE_MS = 120_000

const HANDLER = `
import os, time

def note(what, n):
    with open("/ledger/lines", "a") as ledger:
        ledger.write(f"{what} {n} {os.environ['RUNPOD_POD_ID']}\\n")

def handler(job):
    wants = job["input"]
    note("begin", wants["n"])
    time.sleep(wants["s"])
    note("end", wants["n"])
    return {"n": wants["n"], "worker": os.environ["RUNPOD_POD_ID"]}
`

/** The numbers of accepted jobs by id. */
type Told = Map<string, number>

type RunOptions = {
  /** The service is killed in the middle of each run, and started again before the fault is mended. */
  readonly killsService?: boolean | undefined
  readonly load?: Load
  /** Called each second from the fault to the last result. */
  readonly onSecond?: (second: Second) => void
}

/**
 * Makes a fault again and again while clients send jobs.
 * @param faultNow chooses the fault of each run, once all workers run
 * @returns the longest times, ms: from the fault to the last result, from the end of the fault to the last result, and
 *   after the fault without a result; and how many jobs were started twice
 */
export async function breakMachines(
  place: FaultPlace,
  faultNow: () => MachineFault | Promise<MachineFault>,
  { runs, ...options }: RunOptions & { readonly runs: number },
) {
  const { service } = place
  await service.createHandler('work', HANDLER, {
    container: place.container,
    workersMin: WORKERS,
    workersMax: WORKERS,
  })
  const told: Told = new Map()
  const seen: Awaited<ReturnType<typeof oneRun>>[] = []
  for (let run = 0; run < runs; run++) {
    await until(async () => {
      expect(await place.running()).toHaveLength(WORKERS)
      const { workers } = await service.get('/api/workers')
      expect(workers).toMatchObject(Array(WORKERS).fill({ state: 'idle' }))
    }, ALL_DONE_MS)
    seen.push(await oneRun(place, await faultNow(), told, options))
  }
  const { jobs } = await service.get('/v2/work/health')
  expect(jobs).toMatchObject({ completed: told.size, failed: 0, inProgress: 0, inQueue: 0 })
  expect(await service.stop()).toMatchObject({ exitCode: 0 })
  expect(await place.running()).toEqual([])
  expect(service.integrity()).toEqual(['ok'])
  const most = (figure: keyof (typeof seen)[number]) => Math.max(...seen.map((run) => run[figure]))
  return {
    runs,
    jobs: told.size,
    retried: jobs.retried,
    startedTwice: seen.reduce((sum, run) => sum + run.startedTwice, 0),
    fromFaultMs: most('fromFaultMs'),
    gapMs: most('gapMs'),
    slowestMs: most('fromMendedMs'),
  }
}

async function oneRun(
  place: FaultPlace,
  { make, mend, lastsMs = 0, endsContainers }: MachineFault,
  told: Told,
  { killsService = false, load = FEW, onSecond }: RunOptions,
) {
  const { service } = place
  const mine: string[] = []
  const send = async (count: number, s: number) => {
    for (let sent = 0; sent < count; sent++) {
      const n = told.size
      const { status, body } = await service.ask('POST', '/v2/work/run', { input: { n, s } })
      expect(status).toBe(200)
      told.set(body.id, n)
      mine.push(body.id)
    }
  }
  await send(WORKERS, LONG_S)
  await until(async () => {
    const { jobs } = await service.get('/v2/work/health')
    expect(jobs).toMatchObject({ inProgress: WORKERS })
  })
  await send(load.before, load.s)
  const old = await place.running()
  const brokenAt = Date.now()
  const stopWatching = onSecond && watchSeconds(service, brokenAt, onSecond)
  await make()
  const madeAt = performance.now()
  if (killsService) {
    await service.kill()
    await service.start()
  }
  await send(load.during, load.s)
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, lastsMs - (performance.now() - madeAt)))) // the fault itself
  const mendedAt = Date.now()
  await mend()
  await send(load.after, load.s)
  await until(async () => {
    const { jobs } = await service.get('/v2/work/health')
    expect(jobs).toMatchObject({ inQueue: 0, inProgress: 0 })
  }, ALL_DONE_MS)
  stopWatching?.()
  await place.reached()
  const books = await expectBooksToAgree(place, mine, told)
  await expectNothingLeft(place)
  if (endsContainers === undefined) await expectFenced(place, { old, since: Math.floor(mendedAt / 1000) })
  const ends = [brokenAt, ...books.endedAt.filter((at) => at > brokenAt).toSorted((a, b) => a - b)]
  const last = Math.max(...ends)
  return {
    startedTwice: books.startedTwice,
    fromFaultMs: last - brokenAt,
    gapMs: Math.max(...ends.map((at, index) => at - (ends[index - 1] ?? at))),
    fromMendedMs: Math.max(0, last - mendedAt),
  }
}

/** Reads each second what pages and commands show of jobs. @returns stops it */
function watchSeconds(
  { ask }: FaultPlace['service'],
  brokenAt: number,
  onSecond: (second: Second) => void,
): () => void {
  const look = async () => {
    const s = Math.round((Date.now() - brokenAt) / 1000)
    const answers = await Promise.all(
      ['/v2/work/health', '/api/endpoints/work', '/api/workers', '/api/machines'].map((path) => ask('GET', path)),
    ).catch(() => undefined)
    if (answers === undefined) return onSecond({ s, reasons: [], workers: [], machines: [] })
    const [health, endpoint, fleet, added] = answers.map(({ body }) => body)
    const running = (fleet.workers as readonly { readonly jobs: readonly string[] }[]).flatMap(({ jobs }) => jobs)
    const records = await Promise.all(running.map((id) => ask('GET', `/api/jobs/${id}/progress`))).catch(() => [])
    const { inQueue, inProgress, completed } = health.jobs
    onSecond({
      ...{ s, jobs: { inQueue, inProgress, completed } },
      reasons: [endpoint, ...records.map(({ body }) => body)].flatMap(({ waitingReason }) => waitingReason ?? []),
      workers: fleet.workers.map(summaryOf),
      machines: added.machines.map(summaryOf),
    })
  }
  const timer = setInterval(look, 1000)
  return () => clearInterval(timer)
}

type Shown = { readonly [key in 'name' | 'machine' | 'state' | 'reason']?: string }
const summaryOf = ({ name, machine, state, reason }: Shown) =>
  [name ?? machine, state, reason].filter((word) => word !== undefined).join(' ')

/** Every job that a client was told of has one result, of a worker that has done it; none counts twice. */
async function expectBooksToAgree({ service, ledger }: FaultPlace, ids: readonly string[], told: Told) {
  const all = await ledger()
  const lines = new Set(all)
  const endedAt: number[] = []
  let startedTwice = 0
  for (const id of ids) {
    const n = told.get(id)
    const { body } = await service.ask('GET', `/v2/work/status/${id}`)
    expect(body).toMatchObject({ id, status: 'COMPLETED', output: { n } })
    expect(lines).toContain(`end ${n} ${body.output.worker}`)
    const ends = (await service.historyOf(id)).filter(({ event }) => event === 'complete')
    expect(ends).toMatchObject([{ workerId: body.output.worker }])
    endedAt.push(...ends.map(({ at }) => at))
    if (all.filter((line) => line.startsWith(`begin ${n} `)).length > 1) startedTwice++
  }
  return { endedAt, startedTwice }
}

/** Only workers that the service knows run on the machines. */
async function expectNothingLeft({ service, running }: FaultPlace): Promise<void> {
  await until(async () => {
    const { workers } = await service.get('/api/workers')
    const known = workers.map(({ container }: { readonly container: string }) => container)
    const found = await running()
    expect(found.filter((one) => !known.includes(one))).toEqual([])
    expect(found).toHaveLength(WORKERS)
  }, ALL_DONE_MS)
}

/** Old workers that the service has given up ended before a new one began. */
async function expectFenced(
  { running, events }: FaultPlace,
  { old, since }: { readonly old: readonly string[]; readonly since: number },
): Promise<void> {
  const stay = await running()
  const gone = old.filter((container) => !stay.includes(container))
  const seen = await events(since)
  const firstStart = seen.findIndex(({ container, action }) => action === 'start' && !old.includes(container))
  if (firstStart === -1) return
  const endedFirst = seen.slice(0, firstStart).filter(({ action }) => action === 'die')
  expect(endedFirst.map(({ container }) => container)).toEqual(expect.arrayContaining(gone))
}
