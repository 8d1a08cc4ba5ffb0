/** Starts the real service on disks after a cut, and lets it end all jobs that it finds. */
import { join } from 'node:path'
import { expect } from 'vitest'
import { servedService, until } from '../../support/served-service.ts'
import { ENDPOINTS, readNotes } from './acknowledgements.ts'
import { checkDisk } from './check-disk.ts'
import { chooseFor, createRandom, planCuts } from './cuts.ts'
import { createDisk } from './disk-model.ts'
import { expectations } from './expected.ts'
import { createStore, layDisk } from './lay-disk.ts'
import type { Recording } from './record-service.ts'
import { readTrace } from './trace.ts'

// Source: docs/spec/targets.md, 2.1: how long a job may be stuck after a start, and twice that on a busy machine.
const STUCK_MS = 30_000

/** Starts it after so many cuts. @returns what was wrong, with the cut */
export async function startAfterCuts(
  { trace, notes }: Recording,
  { starts, seed }: { readonly starts: number; readonly seed: number },
): Promise<readonly string[]> {
  const records = readTrace(trace)
  const expectedAt = expectations(readNotes(notes))
  const disk = createDisk()
  const wrong: string[] = []
  let at = 0
  for (const cut of planCuts({ records: records.length, cuts: starts, seed })) {
    for (; at < cut.at; at += 1) disk.apply(records[at] as (typeof records)[0])
    const service = servedService()
    const choose = chooseFor(cut)
    layDisk(service.data, disk.afterCut(choose), choose, createStore(join(service.folder, 'settled')))
    const expected = expectedAt((records[cut.at] ?? records.at(-1))?.ns ?? 0n)
    await service.start()
    if (expected.jobs.size > 0)
      await until(async () => {
        const { jobs } = await service.get(`/v2/${ENDPOINTS.works}/health`)
        expect(jobs).toMatchObject({ inQueue: 0, inProgress: 0 })
      }, STUCK_MS)
    const { exitCode } = await service.stop()
    const problems = await checkDisk(service.data, expected, createRandom(cut.seed))
    if (exitCode !== 0) wrong.push(`the service ended with ${exitCode}`)
    wrong.push(...problems.map((problem) => `${JSON.stringify(cut)}: ${problem}`))
  }
  return wrong
}
