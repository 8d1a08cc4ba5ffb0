/**
 * Versions 1.7.12 to 1.10.0 of the public worker SDK keep their jobs in a file of the working folder: several workers
 * in one.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, beforeEach, describe, expect, type TestContext, test } from 'vitest'
import { STAYS_MS } from '../support/patience.ts'
import { PREPARE_LIMIT_MS, type PublicPython, preparePinnedWorker, preparePublicPython } from './support-python.ts'
import { startService, until } from './support-service.ts'

const NEWER = '1.8.2'
const VERSIONS = ['1.7.13', NEWER]
const HANDLERS = fileURLToPath(new URL('python/worker.py', import.meta.url))

let python: PublicPython
const folders = new Map<string, string>()
beforeAll(async () => {
  python = await preparePublicPython()
  for (const version of VERSIONS) {
    const pinned = await preparePinnedWorker(python, version)
    if (!pinned.ready) python = { ...python, ready: false, reason: pinned.reason }
    folders.set(version, pinned.folder)
  }
}, PREPARE_LIMIT_MS)
beforeEach(({ skip }) => skip(!python.ready, python.reason))

/** A service with endpoints whose workers all run in one folder of the test, which has a copy of python/worker.py. */
async function setup(context: TestContext, version: string, config: Readonly<Record<string, unknown>> = {}) {
  const service = await startService(context)
  const project = join(service.folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'worker.py'), readFileSync(HANDLERS))
  const create = (id: string) =>
    service.createEndpoint({
      id,
      name: id,
      command: `'${python.python}' worker.py`,
      cwd: project,
      workersMax: 1,
      idleTimeoutMs: STAYS_MS,
      scaler: { type: 'QUEUE_DELAY', value: 0 },
      stopGraceMs: 0,
      env: { KIND: 'chosen', HOME: service.folder, PYTHONPATH: folders.get(version), PYTHONDONTWRITEBYTECODE: '1' },
      ...config,
    })
  await create('sdk')
  const release = join(service.folder, 'release')
  return {
    service,
    project,
    create,
    run: (input: object, more: object = {}, endpoint = 'sdk') => service.submit(endpoint, { input, ...more }),
    ended: (jobId: string, status = 'COMPLETED', endpoint = 'sdk') => service.waitForStatus(endpoint, jobId, status),
    /** Input of a job that runs until the test releases it. */
    waits: { do: 'drain', release },
    release: () => writeFileSync(release, ''),
    started: (jobId: string) =>
      until(`job ${jobId} runs`, async () =>
        (await service.logsOfJob(jobId)).find(({ line }) => line.includes('Started.')),
      ),
  }
}

describe.concurrent.each(VERSIONS)('workers of the public SDK %s in one folder', (version) => {
  test('run three jobs at once', async (context) => {
    const { run, ended, started, waits, release, service } = await setup(context, version, { workersMax: 3 })
    const jobs = await Promise.all([run(waits), run(waits), run(waits)])
    await Promise.all(jobs.map(started))
    release()
    const records = await Promise.all(jobs.map((jobId) => ended(jobId)))
    // A worker that was lost meanwhile stands in the log, with the reason.
    const log = (await service.logsOfEndpoint('sdk')).map(({ line }) => line).join('\n')
    expect(new Set(records.map(({ workerId }) => workerId)).size, log).toBe(3)
  })

  test('read and write the folder, which contains no files of the SDK', async (context) => {
    const { service, project, run, ended } = await setup(context, version)
    const own = join(service.folder, 'own')
    mkdirSync(own)
    writeFileSync(join(own, 'sitecustomize.py'), 'open("own-start", "w").close()\n')
    const env = { KIND: 'folder', HOME: service.folder, PYTHONDONTWRITEBYTECODE: '1' }
    await service.call('PATCH', '/api/endpoints/sdk', {
      env: { ...env, PYTHONPATH: `${folders.get(version)}:${own}` },
    })
    const jobId = await run({})
    const { output } = await ended(jobId)
    const file = join(project, 'worker.py')
    expect(output).toEqual({ cwd: project, file, files: ['own-start', 'worker.py', 'written.txt'], path: project })
    expect(readFileSync(join(project, 'written.txt'), 'utf8')).toBe(jobId)
    expect(readdirSync(project).filter((name) => name.startsWith('.runpod_jobs'))).toEqual([])
    await service.call('DELETE', '/api/endpoints/sdk?force=true')
    const workers = join(service.folder, 'data', 'workers')
    await until('nothing of the worker is left', async () => (readdirSync(workers).length === 0 ? true : undefined))
    expect(existsSync(own)).toBe(true)
  })
})

// The code that takes, runs and reports jobs differs between the two versions only in the words of messages.
describe.concurrent(`workers of the public SDK ${NEWER} in one folder`, () => {
  test('take the next job after one was cancelled', async (context) => {
    const { service, run, ended, started, waits } = await setup(context, NEWER)
    const cancelled = await run(waits)
    await started(cancelled)
    await service.call('POST', `/v2/sdk/cancel/${cancelled}`)
    const next = await ended(await run({ do: 'answer', return: 'next' }))
    expect(next).toMatchObject({ output: 'next' })
    expect(next.workerId).not.toBe((await service.status('sdk', cancelled)).workerId)
  })

  test('take the next job after one ran out of its time', async (context) => {
    const { run, ended, waits } = await setup(context, NEWER)
    const slow = await run(waits, { policy: { executionTimeout: 5000 } })
    await ended(slow, 'FAILED')
    expect(await ended(await run({ do: 'answer', return: 'next' }))).toMatchObject({ output: 'next' })
  })

  test('run a job once more whose worker ended itself in the middle', async (context) => {
    const { service, run, ended } = await setup(context, NEWER)
    const jobId = await run({ do: 'die' })
    const events = async () => {
      const { history } = (await service.call('GET', `/api/jobs/${jobId}`)) as { history: { event: string }[] }
      return history.map(({ event }) => event)
    }
    await until('the job is taken back', async () => ((await events()).includes('rescue') ? true : undefined))
    await until('the job is dispatched again', async () => ((await events()).length > 3 ? true : undefined))
    const record = await ended(jobId)
    expect(await events()).toEqual(['submit', 'claim', 'rescue', 'claim', 'complete'])
    expect(await ended(await run({ do: 'answer', return: 1 }))).toMatchObject({ output: 1, workerId: record.workerId })
  })

  test('of two endpoints do not hold up each other', async (context) => {
    const { run, create, ended, started, waits, release } = await setup(context, NEWER)
    await create('other')
    const jobs = [await run(waits), await run(waits, {}, 'other')] as const
    await Promise.all(jobs.map(started))
    release()
    await Promise.all([ended(jobs[0]), ended(jobs[1], 'COMPLETED', 'other')])
  })

  test('are frozen while they wait for a job, and go on with the next one', async (context) => {
    const { run, ended } = await setup(context, NEWER)
    const first = await ended(await run({ do: 'who' }))
    const { pid } = first.output as { pid: number }
    const state = () => readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) (.).*$/s, '$1')
    if (process.platform === 'linux')
      await until('the worker is stopped', async () => (state() === 'T' ? true : undefined))
    const next = await ended(await run({ do: 'who' }))
    expect(next).toMatchObject({ workerId: first.workerId, output: { pid } })
  })

  test('fail a job at once whose result cannot be sent, with the type and its place', async (context) => {
    const { service, run, ended } = await setup(context, NEWER)
    const jobId = await run({ do: 'unsendable' })
    const { error } = await ended(jobId, 'FAILED')
    expect(error).toContain("output['rows'][0]['picture'] is of type bytes")
    const { history } = (await service.call('GET', `/api/jobs/${jobId}`)) as { history: { event: string }[] }
    expect(history.map(({ event }) => event)).toEqual(['submit', 'claim', 'fail'])
    expect(await ended(await run({ do: 'answer', return: 1 }))).toMatchObject({ output: 1 })
  })
})
