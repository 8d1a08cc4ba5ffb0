/** docs/spec/targets.md, 2.10: a burst of jobs, then a purge. */
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { readProcStat } from '../../src-main/domain/worker/usage.ts'
import { startedService, until } from '../support/served-service.ts'
import { submitLoad } from '../support/submit-load.ts'
import { holderOf } from './lose-workers.ts'

const BURST = 10_000
/** Longest time of a purge, in ms; source: docs/spec/targets.md, 2.10. */
const PURGE_MS = 1000
const RUNNING = 2

/**
 * Submits 10,000 jobs behind two that run, purges, and counts.
 * @param isAlone nothing else runs on the machine; else only the time that the service itself computes is judged
 */
export async function purgeBursts({ runs, isAlone = true }: { runs: number; isAlone?: boolean }) {
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

    const { pid } = service.serviceFile()
    const startedAt = performance.now()
    const computedBefore = computedMs(pid)
    expect(await service.post('/v2/work/purge-queue')).toEqual({ removed: BURST, status: 'completed' })
    const ms = Math.round(performance.now() - startedAt)
    expect(isAlone ? ms : computedMs(pid) - computedBefore).toBeLessThanOrEqual(PURGE_MS)
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

/** Processor time of a process so far, ms; the time that passes where the system does not tell. */
function computedMs(pid: number): number {
  if (process.platform !== 'linux') return performance.now()
  return readProcStat(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.cpuMs ?? Number.NaN
}
