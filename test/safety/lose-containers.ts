/** docs/spec/targets.md, 2.2, 2.3 and 2.13 on containers: killed, frozen or out of memory in the middle of a job. */
import { expect } from 'vitest'
import {
  BEGUN,
  type ContainerService,
  type ContainerWorker,
  startedContainerService,
} from '../support/container-service.ts'
import type { DockerEngine } from '../support/docker-engine.ts'
import { until } from '../support/served-service.ts'

// So many containers freeze at once: more than two cores start in the time of a lease would only measure the start.
const FROZEN_AT_ONCE = 5

const LOST_ONCE = ['submit', 'claim', 'rescue', 'claim', 'complete']

/**
 * Kills the one container of an endpoint in the middle of a job, again and again; another must come and do the job.
 * @returns how long it took at most from a kill to the next lease, in ms
 */
export async function killContainers(engine: DockerEngine, { runs }: { runs: number }) {
  const service = await startedContainerService(engine)
  await service.createContainers('work', { workersMin: 1, workersMax: 1 })
  let slowestMs = 0
  for (let n = 0; n < runs; n++) {
    const id = await service.run('work', { n, print: [BEGUN], gates: [service.gateInside(`${n}-{worker}`)] })
    const first = await service.holderOf(id)
    await service.hasBegun(id)
    const killedAt = Date.now()
    await service.docker('kill', first.container)
    const second = await service.holderOf(id, first)
    service.openGate(`${n}-${second.id}`)
    const leasedMs = (await endsOnSecond(service, { id, first, second })) - killedAt
    slowestMs = Math.max(slowestMs, leasedMs)
  }
  const { jobs } = await service.get('/v2/work/health')
  expect(jobs).toEqual({ completed: runs, failed: 0, inProgress: 0, inQueue: 0, retried: runs })
  return { runs, slowestMs }
}

/** Freezes containers past their lease, some at once, then lets them go on: each reports what another does already. */
export async function freezeContainers(engine: DockerEngine, { runs }: { runs: number }) {
  const service = await startedContainerService(engine)
  await service.ask('PATCH', '/api/settings', { maxWorkers: 4 * FROZEN_AT_ONCE })
  let slowestMs = 0
  for (let done = 0; done < runs; done += FROZEN_AT_ONCE) {
    const count = Math.min(FROZEN_AT_ONCE, runs - done)
    slowestMs = Math.max(slowestMs, await freezeSome(service, `round-${done}`, count))
    expect(await service.get('/api/info')).toMatchObject({ lateResults: done + count })
  }
  return { runs, slowestMs }
}

async function freezeSome(service: ContainerService, endpointId: string, count: number): Promise<number> {
  const scaler = { type: 'REQUEST_COUNT', value: 1 }
  const lives = { workersMax: 2 * count, scaler, stopGraceMs: 20_000 } // not ended before it wakes
  await service.createContainers(endpointId, lives, { prepared: 0, keepPausedMs: 0 })
  const ids: string[] = []
  for (let n = 0; n < count; n++)
    ids.push(await service.run(endpointId, { n, print: [BEGUN], gates: [service.gateInside('{worker}')] }))
  const first = new Map<string, ContainerWorker>()
  for (const id of ids) first.set(id, await service.holderOf(id))
  for (const id of ids) await service.hasBegun(id)
  const frozenAt = Date.now()
  const containers = [...first.values()].map(({ container }) => container)
  await service.docker('pause', ...containers)

  let slowestMs = 0
  for (const id of ids) {
    const lostAt = await until(async () => {
      const rescue = (await service.historyOf(id)).find(({ event }) => event === 'rescue')
      if (rescue === undefined) throw new Error('not lost yet')
      return rescue.at
    })
    slowestMs = Math.max(slowestMs, lostAt - frozenAt)
  }
  const { lateResults } = await service.get('/api/info')
  for (const { id } of first.values()) service.openGate(id)
  // The engine wakes a frozen container to give it the signal to end; then there is nothing left to wake.
  await service.docker('unpause', ...containers).catch(() => undefined)
  await until(async () => expect((await service.get('/api/info')).lateResults).toBe(lateResults + count))
  const pairs: { id: string; first: ContainerWorker; second: ContainerWorker }[] = []
  for (const [id, before] of first) pairs.push({ id, first: before, second: await service.holderOf(id, before) })
  for (const { second } of pairs) service.openGate(second.id)
  for (const pair of pairs) await endsOnSecond(service, pair, endpointId)
  await service.ask('DELETE', `/api/endpoints/${endpointId}`)
  await until(async () => expect(await service.containers()).toEqual([]))
  return slowestMs
}

// One result counts, that of the second worker; gives the time of its lease.
async function endsOnSecond(
  service: ContainerService,
  { id, first, second }: { id: string; first: ContainerWorker; second: ContainerWorker },
  endpointId = 'work',
): Promise<number> {
  expect(await service.jobEnd(endpointId, id)).toMatchObject({
    status: 'COMPLETED',
    output: { worker: second.id },
    workerId: second.id,
    retries: 1,
  })
  const history = await service.historyOf(id)
  expect(history.map(({ event }) => event)).toEqual(LOST_ONCE)
  const claims = history.filter(({ event }) => event === 'claim')
  expect(claims.map(({ workerId }) => workerId)).toEqual([first.id, second.id])
  return claims[1]?.at ?? Number.NaN
}

const EATS = `
def handler(job):
    if job["input"].get("eat"):
        eaten = []
        while True:
            eaten.append(bytearray(1024 * 1024))
    return "well"
`

/**
 * Runs jobs that need more memory than their container may have: the job says so, and the next one has a new worker.
 */
export async function starveContainers(engine: DockerEngine, { runs }: { runs: number }) {
  const service = await startedContainerService(engine)
  await service.createContainerHandler('hungry', EATS, { workersMax: 1 }, { memoryBytes: 64 * 1024 * 1024 })
  let slowestMs = 0
  for (let n = 0; n < runs; n++) {
    const startedAt = performance.now()
    const id = await service.run('hungry', { eat: true })
    const record = await service.jobEnd('hungry', id)
    expect(record).toMatchObject({
      status: 'FAILED',
      error: 'job timed out after 1 retries: out of memory: the container reached its limit of 64 MB',
      retries: 1,
    })
    slowestMs = Math.max(slowestMs, Math.round(performance.now() - startedAt))
    const history = await service.historyOf(id)
    expect(history.map(({ event }) => event)).toEqual(['submit', 'claim', 'rescue', 'claim', 'abandon'])
    expect(history.find(({ event }) => event === 'rescue')?.reason).toMatch(/exited: out of memory/)
    const next = await service.jobEnd('hungry', await service.run('hungry', {}))
    expect(next).toMatchObject({ status: 'COMPLETED', output: 'well' })
    expect(next.workerId).not.toBe(record.workerId)
  }
  return { runs, slowestMs }
}
