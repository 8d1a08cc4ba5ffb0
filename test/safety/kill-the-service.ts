/** docs/spec/targets.md, 2.1: the service is killed while 16 clients submit. */

import { execFileSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { expect } from 'vitest'
import { type ServedService, type ServeOptions, servedService, until } from '../support/served-service.ts'
import { submitLoad, withClients } from '../support/submit-load.ts'

/** Longest time from a restart to the end of the last acknowledged job, in ms; source: docs/spec/targets.md, 2.1. */
const STUCK_MS = 15_000
// The kill comes somewhere in the first jobs, at another place in each run.
const SPREAD = 150
const STEP = 37
// The records of one folder make each look through it slower, so a soak takes a fresh one now and then.
const RUNS_PER_FOLDER = 50

/**
 * Kills the service with SIGKILL while 16 clients submit, starts it again on the same folder, and looks for every
 * acknowledged job. Workers live on from run to run.
 * @param first number of runs to skip, which moves the moment of the first kill
 */
export async function killTheService({
  runs,
  first = 0,
  options = {},
}: {
  runs: number
  first?: number
  options?: ServeOptions
}) {
  let slowestMs = 0
  let jobs = 0
  for (let done = 0; done < runs; ) {
    const service = servedService()
    await service.start(options)
    await service.createEndpoint('work', { workersMin: 2, workersMax: 2 })
    for (let n = 0; n < RUNS_PER_FOLDER && done < runs; n++, done++) {
      const result = await oneRun(service, options, 1 + (((first + done) * STEP) % SPREAD))
      slowestMs = Math.max(slowestMs, result.ms)
      jobs += result.jobs
    }
    expect(await service.stop()).toMatchObject({ exitCode: 0 })
    expect(service.workerProcesses()).toEqual([])
  }
  return { runs, jobs, slowestMs }
}

async function oneRun(service: ServedService, options: ServeOptions, killAfter: number) {
  let killed: Promise<void> | undefined
  const acknowledged = await submitLoad(service, 'work', {
    most: Number.POSITIVE_INFINITY,
    onAcknowledged: (count) => {
      if (count === killAfter) killed = service.kill()
    },
  })
  await killed
  const startedAt = performance.now()
  await service.start(options)
  await until(async () => {
    const { jobs } = await service.get('/v2/work/health')
    expect(jobs).toMatchObject({ inQueue: 0, inProgress: 0 })
  }, STUCK_MS)
  const ms = Math.round(performance.now() - startedAt)
  await withClients(acknowledged, async ([id, n]) => {
    const { status, body } = await service.ask('GET', `/v2/work/status/${id}`)
    expect({ status, body }).toMatchObject({ status: 200, body: { id, status: 'COMPLETED', output: { n } } })
  })
  expect(service.integrity()).toEqual(['ok'])
  return { ms, jobs: acknowledged.size }
}

/**
 * A Node on the PATH that is too old to run the service itself, so that the launcher starts another; undefined: none.
 */
export function olderNode(): string | undefined {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  return candidates.find((node) => {
    try {
      return Number.parseInt(execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }), 10) < 24
    } catch {
      return false // no Node there
    }
  })
}
