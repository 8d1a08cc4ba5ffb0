/** docs/spec/targets.md, 2.10: a burst of jobs, then a purge. */
import { expect } from 'vitest'
import { startedService, until } from '../support/served-service.ts'
import { submitLoad } from '../support/submit-load.ts'
import { holderOf } from './lose-workers.ts'

const BURST = 10_000
/** Longest time of a purge, in ms; source: docs/spec/targets.md, 2.10. */
const PURGE_MS = 1000
const RUNNING = 2

/** Submits 10,000 jobs behind two that run, purges, and counts; nothing else may run on the machine. */
export async function purgeBursts({ runs }: { runs: number }) {
  const service = await startedService()
  await service.createEndpoint('work', { workersMin: RUNNING, workersMax: RUNNING })
  let slowestMs = 0
  for (let run = 1; run <= runs; run++) {
    const gate = service.gate(`go-${run}`)
    const running = await Promise.all(
      Array.from({ length: RUNNING }, (_, n) => service.run('work', { n, gates: [gate] })),
    )
    for (const id of running) await holderOf(service, id)
    const waiting = await submitLoad(service, 'work', { most: BURST })
    expect(waiting.size).toBe(BURST)
    expect((await service.get('/v2/work/health')).jobs).toMatchObject({ inQueue: BURST, inProgress: RUNNING })

    const startedAt = performance.now()
    expect(await service.post('/v2/work/purge-queue')).toEqual({ removed: BURST, status: 'completed' })
    const ms = Math.round(performance.now() - startedAt)
    expect(ms).toBeLessThanOrEqual(PURGE_MS)
    slowestMs = Math.max(slowestMs, ms)

    expect((await service.get('/v2/work/health')).jobs).toMatchObject({ inQueue: 0, inProgress: RUNNING })
    service.openGate(`go-${run}`)
    for (const id of running) expect(await service.jobEnd('work', id)).toMatchObject({ status: 'COMPLETED' })
    expect((await service.get('/v2/work/health')).jobs).toEqual({
      completed: RUNNING * run,
      failed: 0,
      inProgress: 0,
      inQueue: 0,
      retried: 0,
    })
    for (const id of [...waiting.keys()].filter((_, n) => n % 1000 === 0)) {
      expect(await service.get(`/v2/work/status/${id}`)).toMatchObject({ status: 'CANCELLED' })
    }
  }
  expect(await until(() => service.integrity())).toEqual(['ok'])
  return { runs, slowestMs }
}
