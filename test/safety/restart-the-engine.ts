/**
 * docs/spec/targets.md, 2.4: the Docker engine is restarted while a job runs. Its containers end with it, and are not
 * to blame.
 */
import { expect } from 'vitest'
import { BEGUN, startedContainerService } from '../support/container-service.ts'
import type { PrivateEngine } from '../support/docker-engine.ts'
import { until } from '../support/served-service.ts'

/**
 * Longest time from an engine that answers again to the next lease of the job, in ms; source: docs/spec/targets.md,
 * 2.4.
 */
const RECONNECT_MS = 10_000

/**
 * Restarts the engine in order and by SIGKILL, in turn; the job that ran goes on in a new container.
 * @param isAlone nothing else runs on the machine; only then the time to the next lease is judged
 */
export async function restartTheEngine(
  engine: Exclude<PrivateEngine, { why: string }>,
  { runs, isAlone = true }: { runs: number; isAlone?: boolean },
) {
  const service = await startedContainerService(engine)
  await service.createContainers('work', { workersMin: 1, workersMax: 1 })
  await service.createContainers('idle', { idleTimeoutMs: 100 })
  let slowestMs = 0
  for (let n = 0; n < runs; n++) {
    await service.jobEnd('idle', await service.run('idle', { n }))
    await service.workerIn('idle', 'paused')
    const id = await service.run('work', { n, print: [BEGUN], gates: [service.gateInside(`go-${n}`)] })
    const first = await service.holderOf(id)
    await service.hasBegun(id)
    await engine.restart(n % 2 === 0 ? 'TERM' : 'KILL')
    const answersAt = Date.now()
    const second = await service.holderOf(id, first)
    const claim = (await service.historyOf(id)).findLast(({ event }) => event === 'claim')
    slowestMs = Math.max(slowestMs, (claim?.at ?? Number.NaN) - answersAt)
    if (isAlone) expect(slowestMs).toBeLessThanOrEqual(RECONNECT_MS)

    service.openGate(`go-${n}`)
    const record = await service.jobEnd('work', id)
    expect(record).toMatchObject({ status: 'COMPLETED', output: { n }, workerId: second.id })
    expect(record).not.toHaveProperty('retries') // the worker failed, and not by its own fault
    expect((await service.historyOf(id)).map(({ event }) => event)).toEqual([
      'submit',
      'claim',
      'release',
      'claim',
      'complete',
    ])
    // Each container is a worker, or was made for the next one.
    await until(async () => {
      const known = (await service.get('/api/workers')).workers.map(({ container }: { container: string }) => container)
      const running = await service.docker('ps', '--quiet', '--no-trunc')
      expect(running.split('\n').filter((found) => found !== '' && !known.includes(found))).toEqual([])
      expect((await service.containers()).length).toBeLessThanOrEqual(known.length + 2)
    })
  }
  const { jobs } = await service.get('/v2/work/health')
  expect(jobs).toEqual({ completed: runs, failed: 0, inProgress: 0, inQueue: 0, retried: 0 })
  expect(await service.stop()).toMatchObject({ exitCode: 0 })
  expect({ containers: await service.containers(), networks: await service.networks() }).toEqual({
    containers: [],
    networks: [],
  })
  return { runs, slowestMs }
}
