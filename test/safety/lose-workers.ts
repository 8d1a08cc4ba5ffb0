/** docs/spec/targets.md, 2.2 and 2.3: workers that are killed or frozen in the middle of a job. */
import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import { signal } from '../support/process-table.ts'
import { type ServedService, startedService, until } from '../support/served-service.ts'

type Worker = { readonly id: string; readonly pid: number; readonly jobs: readonly string[] }
type Entry = { readonly event: string; readonly at: number; readonly workerId?: string }

const LOST_ONCE = ['submit', 'claim', 'rescue', 'claim', 'complete']

/**
 * Kills the one worker of an endpoint in the middle of a job, again and again; another must come and do the job.
 * @returns how long it took at most from a kill to the next lease, in ms
 */
export async function killWorkers({ runs }: { runs: number }) {
  const service = await startedService()
  await service.createEndpoint('work', { workersMin: 1, workersMax: 1 })
  let slowestMs = 0
  for (let n = 0; n < runs; n++) {
    const id = await service.run('work', { n, gates: [service.gate(`${n}-{pid}`)] })
    const first = await holderOf(service, id)
    await atGate(service, `${n}-${first.pid}`)
    const killedAt = Date.now()
    signal(first.pid, 'SIGKILL')
    const second = await holderOf(service, id, first)
    service.openGate(`${n}-${second.pid}`)
    const leasedMs = (await endsOnSecond(service, { id, n, first, second })) - killedAt
    slowestMs = Math.max(slowestMs, leasedMs)
  }
  const { jobs } = await service.get('/v2/work/health')
  expect(jobs).toEqual({ completed: runs, failed: 0, inProgress: 0, inQueue: 0, retried: runs })
  return { runs, slowestMs }
}

/**
 * Freezes all workers in the middle of their jobs until the leases are over, then resumes them. Each one then reports
 * while its job is with another worker.
 */
export async function freezeWorkers({ runs }: { runs: number }) {
  const service = await startedService()
  await service.ask('PATCH', '/api/settings', { maxWorkers: 3 * runs })
  const scaler = { type: 'REQUEST_COUNT', value: 1 }
  const lives = { workersMax: Math.min(100, 2 * runs), scaler, stopGraceMs: 20_000 } // not ended before it wakes
  await service.createEndpoint('work', lives)
  const ids: string[] = []
  for (let n = 0; n < runs; n++) ids.push(await service.run('work', { n, gates: [service.gate('{pid}')] }))
  const first = await holdersOf(service, ids)
  const frozenAt = Date.now()
  for (const { pid } of first.values()) signal(pid, 'SIGSTOP')

  let slowestMs = 0
  for (const id of ids) {
    const lostAt = await until(async () => eventOf(await historyOf(service, id), 'rescue').at)
    slowestMs = Math.max(slowestMs, lostAt - frozenAt)
  }
  for (const { pid } of first.values()) {
    service.openGate(String(pid))
    signal(pid, 'SIGCONT')
  }
  await until(async () => expect(await service.get('/api/info')).toMatchObject({ lateResults: runs }))
  expect((await service.get('/v2/work/health')).jobs).toMatchObject({ completed: 0, failed: 0, retried: runs })

  const second = await holdersOf(service, ids, first)
  for (const { pid } of second.values()) service.openGate(String(pid))
  for (const [n, id] of ids.entries()) {
    await endsOnSecond(service, { id, n, first: first.get(id) as Worker, second: second.get(id) as Worker })
  }
  return { runs, slowestMs }
}

/** Loses every worker that has the job: it fails when its tries are used up. */
export async function killEveryWorkerOf(service: ServedService, endpointId: string) {
  const id = await service.run(endpointId, { gates: [service.gate('{pid}')] })
  const first = await holderOf(service, id)
  await atGate(service, String(first.pid))
  signal(first.pid, 'SIGKILL')
  const second = await holderOf(service, id, first)
  await atGate(service, String(second.pid))
  signal(second.pid, 'SIGKILL')
  return service.jobEnd(endpointId, id)
}

// A worker that is killed before it has read its job has lost no try.
export const atGate = (service: ServedService, gate: string): Promise<void> =>
  until(() => expect(existsSync(`${service.gate(gate)}.waiting`)).toBe(true))

/** Waits until a worker other than `before` holds the job. */
export async function holderOf(service: ServedService, jobId: string, before?: Worker): Promise<Worker> {
  const holders = await holdersOf(service, [jobId], before && new Map([[jobId, before]]))
  return holders.get(jobId) as Worker
}

async function holdersOf(
  service: ServedService,
  jobIds: readonly string[],
  before: ReadonlyMap<string, Worker> = new Map(),
): Promise<ReadonlyMap<string, Worker>> {
  return until(async () => {
    const { workers } = (await service.get('/api/workers')) as { workers: readonly Worker[] }
    const holders = new Map(workers.flatMap((worker) => worker.jobs.map((jobId) => [jobId, worker] as const)))
    const missing = jobIds.filter((id) => {
      const holder = holders.get(id)
      return holder?.pid === undefined || holder.id === before.get(id)?.id
    })
    expect(missing).toEqual([])
    return holders
  })
}

// One result counts, that of the second worker; gives the time of its lease.
async function endsOnSecond(
  service: ServedService,
  { id, n, first, second }: { id: string; n: number; first: Worker; second: Worker },
): Promise<number> {
  expect(await service.jobEnd('work', id)).toEqual({
    id,
    status: 'COMPLETED',
    delayTime: expect.any(Number),
    executionTime: expect.any(Number),
    output: { n, pid: second.pid, worker: second.id },
    workerId: second.id,
    retries: 1,
  })
  const history = await historyOf(service, id)
  expect(history.map(({ event }) => event)).toEqual(LOST_ONCE)
  const claims = history.filter(({ event }) => event === 'claim')
  expect(claims.map(({ workerId }) => workerId)).toEqual([first.id, second.id])
  return claims[1]?.at ?? Number.NaN
}

async function historyOf(service: ServedService, jobId: string): Promise<readonly Entry[]> {
  return (await service.get(`/api/jobs/${jobId}`)).history
}

function eventOf(history: readonly Entry[], event: string): Entry {
  const found = history.find((entry) => entry.event === event)
  if (found === undefined) throw new Error(`no ${event} yet`)
  return found
}
