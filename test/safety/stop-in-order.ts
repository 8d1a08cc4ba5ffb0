/** docs/spec/targets.md, 2.12: SIGTERM while eight jobs run. */
import { expect } from 'vitest'
import { startedService, until } from '../support/served-service.ts'
import { holderOf } from './lose-workers.ts'

const JOBS = 8
const GRACE_MS = 700
// Long enough for what ends in time to be seen to, whatever else the machine does.
const BUSY_GRACE_MS = 2000
// The service may need this much longer than the grace time to end, in ms; source: ours, for two busy cores.
const SLACK_MS = 3000

/**
 * Stops a service whose jobs partly end within the grace time, starts it again, and lets the others run.
 * @param isAlone nothing else runs on the machine; only then it is judged how much longer than the grace time it takes
 */
export async function stopInOrder({ runs, isAlone = true }: { runs: number; isAlone?: boolean }) {
  const graceMs = isAlone ? GRACE_MS : BUSY_GRACE_MS
  const args = ['--stop-grace', String(graceMs)]
  const service = await startedService({ args })
  await service.createEndpoint('work', { workersMin: JOBS, workersMax: JOBS })
  let slowestMs = 0
  for (let run = 0; run < runs; run++) {
    const gate = (n: number) => `${n % 2 === 0 ? 'short' : 'long'}-${run}`
    const ids: string[] = []
    for (let n = 0; n < JOBS; n++) ids.push(await service.run('work', { n, gates: [service.gate(gate(n))] }))
    for (const id of ids) await holderOf(service, id)
    // So that what was queued again is seen waiting.
    await service.post('/api/endpoints/work/pause')

    const startedAt = performance.now()
    const stopped = service.stop()
    service.openGate(`short-${run}`)
    expect(await stopped).toMatchObject({ exitCode: 0, stderr: '' })
    const ms = Math.round(performance.now() - startedAt)
    expect(ms).toBeGreaterThanOrEqual(graceMs)
    if (isAlone) expect(ms).toBeLessThanOrEqual(graceMs + SLACK_MS)
    slowestMs = Math.max(slowestMs, ms)
    expect(service.workerProcesses()).toEqual([])

    await service.start({ args })
    const records = await Promise.all(ids.map((id) => service.get(`/v2/work/status/${id}`)))
    expect(records.map(({ status }) => status)).toEqual(ids.map((_, n) => (n % 2 === 0 ? 'COMPLETED' : 'IN_QUEUE')))
    service.openGate(`long-${run}`)
    await service.post('/api/endpoints/work/resume')
    for (const [n, id] of ids.entries()) {
      const record = await service.jobEnd('work', id)
      expect(record).toMatchObject({ status: 'COMPLETED', output: { n } })
      expect(record).not.toHaveProperty('retries')
    }
  }
  await service.stop()
  await until(() => expect(service.workerProcesses()).toEqual([]))
  return { runs, slowestMs }
}
