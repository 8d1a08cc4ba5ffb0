/** Our worker runtime on the real service: each thing that it adds. Source: docs/spec/worker-protocol.md, 4. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, type TestContext, test } from 'vitest'
import { STAYS_MS } from '../support/patience.ts'
import { type Service, startService, until } from './support-service.ts'

const HANDLERS = fileURLToPath(new URL('python/svc_handlers.py', import.meta.url))
const TIMES = { delayTime: expect.any(Number), executionTime: expect.any(Number) }
// For tests in which the job is to stop by itself: at the end of the grace time its worker would be killed.
const LONG_GRACE = { stopGraceMs: 60_000 }

/** A service with one endpoint that runs python/svc_handlers.py. */
async function setup(context: TestContext, config: Readonly<Record<string, unknown>> = {}) {
  const service = await startService(context)
  await service.createEndpoint({
    id: 'ours',
    handler: HANDLERS,
    workersMax: 1,
    idleTimeoutMs: STAYS_MS,
    env: { PYTHONDONTWRITEBYTECODE: '1' },
    ...config,
  })
  const release = join(service.folder, 'release')
  return {
    service,
    waits: { release },
    release: () => writeFileSync(release, ''),
    run: (input: unknown) => service.submit('ours', { input }),
    runSync: (input: unknown) => service.runSync('ours', { input }),
    ended: (jobId: string, status = 'COMPLETED') => service.waitForStatus('ours', jobId, status),
    cancel: (jobId: string) => service.call('POST', `/v2/ours/cancel/${jobId}`),
    lineOf: (jobId: string, text: string) => lineOf(service, jobId, text),
  }
}

const lineOf = (service: Service, jobId: string, text: string) =>
  until(`job ${jobId} printed ${text}`, async () =>
    (await service.logsOfJob(jobId)).find(({ line }) => line.includes(text)),
  )

describe.concurrent('a worker of svc_worker', () => {
  test('stops a cancelled async handler at once and lives on', async (context) => {
    const { service, run, runSync, ended, cancel, lineOf } = await setup(context, LONG_GRACE)
    const jobId = await run({ do: 'nap' })
    const { workerId } = await ended(jobId, 'IN_PROGRESS')
    await lineOf(jobId, 'napping')
    await cancel(jobId)
    await lineOf(jobId, 'was stopped')
    expect(await runSync({})).toMatchObject({ status: 'COMPLETED', workerId })
    expect(await service.status('ours', jobId)).toEqual({ ...TIMES, id: jobId, status: 'CANCELLED', workerId })
  })

  test('is killed when a cancelled sync handler has not stopped in the grace time', async (context) => {
    const { run, runSync, ended, cancel, lineOf } = await setup(context, { stopGraceMs: 500 })
    const jobId = await run({ do: 'block' })
    const { workerId } = await ended(jobId, 'IN_PROGRESS')
    // A job whose handler was not called yet would stop.
    await lineOf(jobId, 'blocking')
    await cancel(jobId)
    const next = await runSync({})
    expect(next).toMatchObject({ status: 'COMPLETED', output: { worker: next.workerId } })
    expect(next.workerId).not.toBe(workerId)
  })

  test.for([
    ['meet', 3],
    ['meet_async', 1],
  ] as const)('runs as many %s jobs at once as the endpoint says, in %i threads', async ([kind, threads], context) => {
    const { run, ended, lineOf, service } = await setup(context, { concurrency: 3 })
    const names = ['Ada', 'Grace', 'Edsger']
    const jobs = await Promise.all(names.map((name) => run({ do: kind, name, together: 3 })))
    const records = await Promise.all(jobs.map((jobId) => ended(jobId)))
    const outputs = records.map(({ output }) => output as { job: string; pid: number; thread: number })
    expect(outputs.map(({ job }) => job)).toEqual(jobs)
    expect(new Set(outputs.map(({ pid }) => pid)).size).toBe(1)
    expect(new Set(outputs.map(({ thread }) => thread)).size).toBe(threads)
    for (const [at, jobId] of jobs.entries()) {
      await lineOf(jobId, `here is ${names[at]}`)
      expect((await service.logsOfJob(jobId)).map(({ line }) => line)).toEqual([`here is ${names[at]}`])
    }
  })

  test('cancels one of several jobs at once; the others go on', async (context) => {
    const { run, ended, cancel, lineOf, waits, release } = await setup(context, { concurrency: 2, ...LONG_GRACE })
    const waiting = await run({ do: 'wait', ...waits })
    const napping = await run({ do: 'nap' })
    await Promise.all([lineOf(waiting, 'waiting'), lineOf(napping, 'napping')])
    await cancel(napping)
    await lineOf(napping, 'was stopped')
    release()
    const { workerId } = await ended(waiting)
    expect(await ended(napping, 'CANCELLED')).toMatchObject({ workerId })
  })

  test('knows its job and reports its progress anywhere in the handler; the result has the last word', async (context) => {
    const { service, run, ended, waits, release } = await setup(context)
    const jobId = await run({ do: 'report', ...waits })
    const seen = await until('progress is shown', async () => {
      const record = await service.status('ours', jobId)
      return record.output === undefined ? undefined : record
    })
    expect(seen).toMatchObject({ status: 'IN_PROGRESS', output: { step: 'first', job: jobId } })
    release()
    expect(await ended(jobId)).toMatchObject({ output: { job: jobId } })
  })

  test('prints JSON lines that name their job', async (context) => {
    const { service, run, ended } = await setup(context)
    const jobId = await run({ do: 'talk' })
    await ended(jobId)
    const lines = await until('three lines', async () => {
      const found = await service.logsOfJob(jobId)
      return found.length >= 3 ? found : undefined
    })
    expect(lines.map(({ level, line }) => ({ level, line }))).toEqual([
      { level: 'INFO', line: 'a plain line' },
      { level: 'WARN', line: 'a warning' },
      { level: 'INFO', line: 'no line end' },
    ])
  })

  test('fails a job with a traceback that starts in the file of the user, and lives on', async (context) => {
    const { runSync } = await setup(context)
    const failed = await runSync({ do: 'broken' })
    expect(failed).toEqual({
      ...TIMES,
      id: failed.id,
      status: 'FAILED',
      error: expect.any(String),
      workerId: failed.workerId,
    })
    const { error_traceback = '', ...error } = JSON.parse(String(failed.error)) as Readonly<Record<string, string>>
    expect(error).toEqual({
      error_type: "<class 'KeyError'>",
      error_message: "'asked to break'",
      hostname: expect.any(String),
      worker_id: failed.workerId,
      runpod_version: expect.any(String),
    })
    const frames = [...error_traceback.matchAll(/^ {2}File "(.*)", line \d+, in (\w+)$/gm)]
    expect(frames.map(([, file, name]) => [file, name])).toEqual([
      [HANDLERS, 'handler'],
      [HANDLERS, 'broken'],
      [HANDLERS, 'deeper'],
    ])
    expect(await runSync({})).toMatchObject({ status: 'COMPLETED', workerId: failed.workerId })
  })

  test.for(['count', 'count_async'])('streams what the generator %s gives', async (kind, context) => {
    const { service, runSync } = await setup(context)
    const { id, output } = await runSync({ do: kind, n: 3 })
    expect(output).toEqual([])
    expect(await service.call('GET', `/v2/ours/stream/${id}?format=array`)).toEqual(
      [0, 1, 2].map((n) => ({ output: { n } })),
    )
  })

  test('finishes its job when it is stopped', async (context) => {
    const { service, run, ended, lineOf, waits, release } = await setup(context, LONG_GRACE)
    const jobId = await run({ do: 'wait', ...waits })
    const { workerId } = await ended(jobId, 'IN_PROGRESS')
    await lineOf(jobId, 'waiting')
    await service.call('POST', `/api/workers/${workerId}/stop`)
    release()
    expect(await ended(jobId)).toMatchObject({ output: { worker: workerId } })
    await until('the stopped worker is gone', async () =>
      (await service.workers('ours')).some(({ id }) => id === workerId) ? undefined : true,
    )
  })
})
