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

/** How many workers run. */
export const WORKERS = 2
// Of each kind in a run: those that run when the fault comes, those that are sent while it lasts, and afterwards.
const [BEFORE, DURING, AFTER] = [6, 10, 6]
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

/**
 * Makes a fault again and again while clients send jobs.
 * @param killsService the service is killed in the middle of each, and started again before it is mended
 * @returns how long it took at most from the mended fault to the last result, ms
 */
export async function breakMachines(
  place: FaultPlace,
  fault: MachineFault,
  { runs, killsService = false }: { readonly runs: number; readonly killsService?: boolean },
) {
  const { service } = place
  await service.createHandler('work', HANDLER, {
    container: place.container,
    workersMin: WORKERS,
    workersMax: WORKERS,
  })
  const told: Told = new Map()
  let slowestMs = 0
  for (let run = 0; run < runs; run++) {
    await until(async () => expect(await place.running()).toHaveLength(WORKERS), ALL_DONE_MS)
    slowestMs = Math.max(slowestMs, await oneRun(place, fault, { told, killsService }))
  }
  const { jobs } = await service.get('/v2/work/health')
  expect(jobs).toMatchObject({ completed: told.size, failed: 0, inProgress: 0, inQueue: 0 })
  expect(await service.stop()).toMatchObject({ exitCode: 0 })
  expect(await place.running()).toEqual([])
  expect(service.integrity()).toEqual(['ok'])
  return { runs, jobs: told.size, retried: jobs.retried, slowestMs }
}

async function oneRun(
  place: FaultPlace,
  { make, mend, lastsMs = 0, endsContainers }: MachineFault,
  { told, killsService }: { readonly told: Told; readonly killsService: boolean },
): Promise<number> {
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
  await send(BEFORE, 0.1)
  const old = await place.running()
  await make()
  const brokenAt = performance.now()
  if (killsService) {
    await service.kill()
    await service.start()
  }
  await send(DURING, 0.1)
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, lastsMs - (performance.now() - brokenAt)))) // the fault itself
  const mendedAt = performance.now()
  const since = Math.floor(Date.now() / 1000)
  await mend()
  await send(AFTER, 0.1)
  await until(async () => {
    const { jobs } = await service.get('/v2/work/health')
    expect(jobs).toMatchObject({ inQueue: 0, inProgress: 0 })
  }, ALL_DONE_MS)
  const ms = Math.round(performance.now() - mendedAt)
  await place.reached()
  await expectBooksToAgree(place, mine, told)
  await expectNothingLeft(place)
  if (endsContainers === undefined) await expectFenced(place, { old, since })
  return ms
}

/** Every job that a client was told of has one result, of a worker that has done it; none counts twice. */
async function expectBooksToAgree({ service, ledger }: FaultPlace, ids: readonly string[], told: Told): Promise<void> {
  const lines = new Set(await ledger())
  for (const id of ids) {
    const n = told.get(id)
    const { body } = await service.ask('GET', `/v2/work/status/${id}`)
    expect(body).toMatchObject({ id, status: 'COMPLETED', output: { n } })
    expect(lines).toContain(`end ${n} ${body.output.worker}`)
    const history = await service.historyOf(id)
    expect(history.filter(({ event }) => event === 'complete')).toMatchObject([{ workerId: body.output.worker }])
  }
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
