/** docs/spec/targets.md, 2.22, its first part: workers that print without end. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startedService, until } from '../support/served-service.ts'

const LOUD = `
print("up")

def handler(job):
    while True:
        print("x")
`

/**
 * Runs a program and a handler that print as fast as they can, while jobs of another endpoint must not wait for them.
 * @param lines how many are looked for of each; 10,000 are kept of a job, and one answer gives as many
 * @returns how long a health check and a job of somebody else took at most, in ms, and the largest the file was
 */
export async function printWithoutEnd({ runs, lines }: { runs: number; lines: number }) {
  let slowestMs = 0
  let largestBytes = 0
  for (let run = 0; run < runs; run++) {
    const service = await startedService({ args: ['--stop-grace', '200'] })
    const one = { workersMin: 1, workersMax: 1 }
    await service.createEndpoint('calm', one)
    await service.createEndpoint('raw', { ...one, command: 'yes' })
    await service.createHandler('loud', LOUD, one)
    const loud = await service.run('loud', {})
    const linesOf = async (path: string): Promise<readonly { readonly line: string }[]> =>
      (await service.get(`${path}/logs?tail=${lines}`)).lines
    const raw = await until(async () => {
      const [worker] = (await service.get('/api/workers?endpoint=raw')).workers
      expect(worker.pid).toBeGreaterThan(0)
      return worker.id
    })
    // The service emptied the file. The message names its size, which depends on the speed of the writer.
    const isEmptied = ({ line }: { readonly line: string }) => line.includes('MB of output are left out here')
    const enough = async () => {
      const found = [await linesOf(`/api/jobs/${loud}`), await linesOf(`/api/workers/${raw}`)]
      return found.every(({ length }) => length === lines) && found[1]?.some(isEmptied)
    }
    do {
      const startedAt = performance.now()
      await service.get('/v2/calm/health')
      expect(await service.jobEnd('calm', await service.run('calm', { n: 1 }))).toMatchObject({ status: 'COMPLETED' })
      slowestMs = Math.max(slowestMs, Math.round(performance.now() - startedAt))
      largestBytes = Math.max(largestBytes, statSync(join(service.data, 'workers', `${raw}.log`)).size)
    } while (!(await enough()))
    expect(await service.stop()).toMatchObject({ exitCode: 0 })
    expect(service.workerProcesses()).toEqual([])
  }
  return { runs, slowestMs, largestBytes }
}
