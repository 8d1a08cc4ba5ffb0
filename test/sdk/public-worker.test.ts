/** The unmodified public worker SDK as a worker process: every kind of handler, and what workers are told. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, type TestContext, test } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { versionOf } from '../platform/clients.ts'
import { PREPARE_LIMIT_MS, type PublicPython, preparePublicPython } from './support-python.ts'
import { type Service, startedOnce, until } from './support-service.ts'
import { startPublicWorker, TIMES, WORKER_ID } from './support-worker.ts'

let python: PublicPython
beforeAll(async () => {
  python = await preparePublicPython()
}, PREPARE_LIMIT_MS)
beforeEach(({ skip }) => skip(!python.ready, python.reason))

// For tests in which the worker is to stop by itself: at the end of the grace time it would be killed.
const LONG_GRACE = { stopGraceMs: 60_000 }

const setup = (context: TestContext, kind: string, config?: Readonly<Record<string, unknown>>) =>
  startPublicWorker(context, python, kind, config)

describe('a plain handler of the public SDK', () => {
  const plain = startedOnce((context) => startPublicWorker(context, python, 'chosen'))

  test('shows progress while the job runs, and never in place of the result', async () => {
    const { service, run, ended, status, waits, release } = plain()
    const jobId = await run({ do: 'progress', ...waits })
    const seen = await until('progress is shown', async () => {
      const record = await status(jobId)
      return record.output === undefined ? undefined : record
    })
    expect(seen).toMatchObject({ status: 'IN_PROGRESS', output: { step: 'first' } })
    release()
    expect(await ended(jobId)).toMatchObject({ output: { done: true } })
    const sent = `${jobId} | Progress Update Sent: {'step': 'last'}`
    await until('the last update was sent', async () =>
      (await service.logsOfEndpoint('sdk')).some(({ line }) => line === sent) ? true : undefined,
    )
    expect(await status(jobId)).toMatchObject({ status: 'COMPLETED', output: { done: true } })
  })

  test('fails a job whose handler raises, with the error as JSON text', async () => {
    const { runSync } = plain()
    const failed = await runSync({ do: 'answer', raise: 'no "picture"' })
    expect({ ...failed, error: JSON.parse(String(failed.error)) }).toEqual({
      ...TIMES,
      id: failed.id,
      status: 'FAILED',
      workerId: WORKER_ID,
      error: {
        error_type: "<class 'ValueError'>",
        error_message: 'no "picture"',
        error_traceback: expect.stringMatching(/^Traceback[\s\S]*worker\.py[\s\S]*ValueError: no "picture"\n$/),
        hostname: `sdk-${failed.workerId}`,
        worker_id: failed.workerId,
        runpod_version: versionOf('worker'),
      },
    })
  })

  test.for<[unknown, Readonly<Record<string, unknown>>]>([
    [
      { error: 'no picture', seed: 7 },
      { status: 'FAILED', error: 'no picture', output: { seed: 7 } },
    ],
    [{ error: 'no picture' }, { status: 'FAILED', error: 'no picture' }],
    [{ error: { code: 3 } }, { status: 'FAILED', error: '{"code":3}' }],
    [
      { error: '', seed: 7 },
      { status: 'COMPLETED', output: { seed: 7 } },
    ],
    [{}, { status: 'COMPLETED' }],
    [null, { status: 'COMPLETED', output: null }],
    [[1, 2.5, 'é'], { status: 'COMPLETED', output: [1, 2.5, 'é'] }],
    [false, { status: 'COMPLETED', output: false }],
  ])('ends a job whose handler returns %j', async ([returned, expected]) => {
    const { runSync } = plain()
    const record = await runSync({ do: 'answer', return: returned })
    expect(record).toEqual({ ...TIMES, id: record.id, workerId: WORKER_ID, ...expected })
  })

  test('fails a job at once if its result cannot be sent, and names the type and its place', async () => {
    const { service, runSync } = plain()
    const { id, status, error } = await runSync({ do: 'unsendable' })
    expect(status).toBe('FAILED')
    expect(error).toContain("output['rows'][0]['picture'] is of type bytes")
    const { history } = (await service.call('GET', `/api/jobs/${id}`)) as { history: { event: string }[] }
    expect(history.map(({ event }) => event)).toEqual(['submit', 'claim', 'fail'])
  })

  test('returns a result up to the limit; a larger one fails its job with the reason', async () => {
    const { runSync } = plain()
    const around = JSON.stringify({ output: '' }).length + 1 // Python writes a space after the colon
    const most = limit('resultBodyBytes') - around
    expect(await runSync({ do: 'large', bytes: most })).toMatchObject({ status: 'COMPLETED', output: 'x'.repeat(most) })
    expect(await runSync({ do: 'large', bytes: most + 1 })).toMatchObject({
      status: 'FAILED',
      error: expect.stringMatching(/20 MiB/),
    })
    expect(await runSync({ do: 'large', bytes: 3 * most })).toMatchObject({
      status: 'FAILED',
      error: expect.stringMatching(/20 MiB/),
    })
    expect(await runSync({ do: 'large', bytes: 1 })).toMatchObject({ status: 'COMPLETED', output: 'x' })
  })
})

describe.concurrent('a worker of the public SDK', () => {
  test('passes the whole job to an async handler, even if the user has stored a platform key, which the SDK prefers', async (context) => {
    const { service, runSync } = await setup(context, 'async_echo')
    mkdirSync(join(service.folder, '.runpod'))
    writeFileSync(join(service.folder, '.runpod', 'config.toml'), '[default]\napi_key = "key-of-the-platform"\n')
    const more = { webhook: 'https://hooks.example/done', s3Config: { accessId: 'a', bucketName: 'c' } }
    const { id, output } = await runSync({ text: 'ä €' }, more)
    expect(output).toEqual({ job: { id, input: { text: 'ä €' }, ...more } })
  })

  test.for<[string, unknown]>([
    ['count', []],
    ['async_count', []],
    ['count_aggregated', [{ n: 0 }, { n: 1 }, { n: 2 }]],
  ])('streams the chunks of the generator %s in order', async ([kind, output], context) => {
    const { service, run, ended } = await setup(context, kind)
    const jobId = await run({ n: 3 })
    expect(await ended(jobId)).toMatchObject({ output })
    expect(await service.call('GET', `/v2/sdk/stream/${jobId}?format=array`)).toEqual(
      [0, 1, 2].map((n) => ({ output: { n } })),
    )
  })

  test('fails a job whose generator breaks, and keeps the chunks before that', async (context) => {
    const { service, run, ended } = await setup(context, 'count')
    const jobId = await run({ n: 3, fail: 2 })
    expect((await ended(jobId, 'FAILED')).error).toMatch(/^handler: asked to break \ntraceback: Traceback/)
    expect(await service.call('GET', `/v2/sdk/stream/${jobId}?format=array`)).toEqual(
      [0, 1].map((n) => ({ output: { n } })),
    )
  })

  test('streams a chunk above the limit in pieces that make up the whole', async (context) => {
    const { service, runSync } = await setup(context, 'large_chunk')
    const bytes = 2.5 * limit('chunkBytes')
    const { id } = await runSync({ bytes })
    const chunks = (await service.call('GET', `/v2/sdk/stream/${id}?format=array`)) as { output: string }[]
    expect(chunks.length).toBe(3)
    expect(chunks.map(({ output }) => output).join('')).toBe('x'.repeat(bytes))
  })

  test('is replaced when a handler returns refresh_worker', async (context) => {
    const { service, runSync } = await setup(context, 'refresh')
    const first = await runSync({})
    expect(first.output).toEqual({ worker: first.workerId, pid: expect.any(Number) })
    const second = await runSync({})
    expect(second).toMatchObject({ status: 'COMPLETED', output: { worker: second.workerId } })
    expect(second.workerId).not.toBe(first.workerId)
    await until('the first worker is gone', () => isGone(service, first.workerId))
  })

  test('may ask for refresh after every job; that is no crash', async (context) => {
    const { service, runSync } = await setup(context, 'refresh_always')
    const jobs = [await runSync({}), await runSync({}), await runSync({}), await runSync({})]
    expect(jobs.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED'])
    expect(new Set(jobs.map(({ workerId }) => workerId)).size).toBe(4)
    expect(await service.call('GET', '/v2/sdk/health')).toMatchObject({ workers: { unhealthy: 0 } })
  })

  test('runs several jobs at once with a concurrency_modifier', async (context) => {
    const { run, ended } = await setup(context, 'meet')
    const jobs = await Promise.all([1, 2, 3].map(() => run({ together: 3 })))
    const records = await Promise.all(jobs.map((jobId) => ended(jobId)))
    expect(new Set(records.map(({ workerId }) => workerId)).size).toBe(1)
  })

  test('stops a cancelled async handler and lives on', async (context) => {
    const { service, run, ended, lineOf } = await setup(context, 'nap', LONG_GRACE)
    const jobId = await run({ seconds: 600 })
    await lineOf(jobId, 'napping')
    const { workerId } = await service.status('sdk', jobId)
    await service.call('POST', `/v2/sdk/cancel/${jobId}`)
    await lineOf(jobId, 'was stopped')
    const next = await ended(await run({}))
    expect(next).toMatchObject({ workerId, output: { worker: workerId } })
    const cancelled = await service.status('sdk', jobId)
    expect(cancelled).toEqual({ ...TIMES, id: jobId, status: 'CANCELLED', workerId })
  })

  test('stops one of two jobs by the pings that no longer name it, and keeps the other', async (context) => {
    // It pings every 3 s, so that is how long it may take until the service hears that the job has stopped.
    const { service, run, ended, lineOf } = await setup(context, 'naps', { stopGraceMs: 8000 })
    // Longer than the grace time, after which a worker that has not stopped the job would be killed.
    const kept = await run({ seconds: 10 })
    const cancelled = await run({ seconds: 600 })
    await Promise.all([lineOf(kept, 'Started.'), lineOf(cancelled, 'Started.')])
    await service.call('POST', `/v2/sdk/cancel/${cancelled}`)
    await lineOf(cancelled, 'Job stopped.')
    const record = await ended(kept)
    expect(record).toEqual({ ...TIMES, id: kept, status: 'COMPLETED', output: expect.anything(), workerId: WORKER_ID })
    expect(await ended(await run({}))).toMatchObject({ workerId: record.workerId })
  })

  test('keeps a blocking job beyond the lease by its pings, and is killed if a cancelled job outlasts the grace time', async (context) => {
    const { service, run, ended, lineOf } = await setup(context, 'block', { stopGraceMs: 500 })
    const kept = await run({ seconds: 12 })
    const record = await ended(kept)
    expect(record).toEqual({ ...TIMES, id: kept, status: 'COMPLETED', output: expect.anything(), workerId: WORKER_ID })
    const { history } = (await service.call('GET', `/api/jobs/${kept}`)) as { history: { event: string }[] }
    expect(history.map(({ event }) => event)).toEqual(['submit', 'claim', 'complete'])

    const jobId = await run({ seconds: 600 })
    const { workerId } = await ended(jobId, 'IN_PROGRESS')
    // A job whose handler was not called yet would stop.
    await lineOf(jobId, 'Started.')
    await service.call('POST', `/v2/sdk/cancel/${jobId}`)
    const next = await ended(await run({}))
    expect(next.workerId).not.toBe(workerId)
    expect(isAlive((record.output as { pid: number }).pid)).toBe(false)
    expect(await service.status('sdk', jobId)).toEqual({ ...TIMES, id: jobId, status: 'CANCELLED', workerId })
  })

  test('logs its lines under the job that they are about, and exits at once when it is stopped without a job', async (context) => {
    const { service, runSync, lineOf } = await setup(context, 'echo', LONG_GRACE)
    const first = await runSync({})
    const second = await runSync({})
    for (const { id } of [first, second]) {
      await lineOf(id, 'Finished Job')
      const lines = await service.logsOfJob(id)
      expect(lines).toContainEqual(expect.objectContaining({ level: 'INFO', line: 'plain words of the handler' }))
      expect(lines).toContainEqual(expect.objectContaining({ level: 'INFO', line: 'words with an id' }))
      expect(lines.filter(({ line }) => line === 'Started.')).toHaveLength(1)
    }
    await service.call('POST', `/api/workers/${second.workerId}/stop`)
    await until('the stopped worker is gone', () => isGone(service, second.workerId), LEAVE_MS)
  })

  test('finishes its job when it is stopped, and leaves at once after that', async (context) => {
    const { service, run, ended, waits, release, lineOf } = await setup(context, 'drain', LONG_GRACE)
    const jobId = await run(waits)
    const { workerId } = await ended(jobId, 'IN_PROGRESS')
    await lineOf(jobId, 'Started.')
    await service.call('POST', `/api/workers/${workerId}/stop`)
    release()
    expect(await ended(jobId)).toMatchObject({ output: { worker: workerId } })
    await until('the stopped worker is gone', () => isGone(service, workerId), LEAVE_MS)
  })

  test.for([false, true])(
    'makes fitness checks, which end it on a small machine: only if set (%s)',
    async (set, context) => {
      const { service, run } = await setup(context, 'echo')
      await service.call('PATCH', '/api/settings', { workerSystemChecks: set })
      await run({})
      const wanted = set ? /^Running \d+ fitness check/ : /^No fitness checks registered/
      const heard = (line: string) => wanted.test(line)
      await until(`a line like ${wanted}`, async () =>
        (await service.logsOfEndpoint('sdk')).some(({ line }) => heard(line)) ? true : undefined,
      )
    },
  )

  test('whose own fitness check fails has crashed: it waits before the next try, and the check says why', async (context) => {
    const { service, run } = await setup(context, 'unfit')
    const jobId = await run({})
    const waits = await until(
      'waiting cannot help',
      async () => {
        const job = (await service.call('GET', `/api/jobs/${jobId}/progress`)) as Readonly<Record<string, unknown>>
        return job.waitingNeedsChange === true ? job : undefined
      },
      CRASHES_MS,
    )
    expect(waits.waitingReason).toMatch(
      /failed \d times within .*RuntimeError: model file is missing; next try in \d+ s\.$/,
    )
    expect(await service.call('GET', '/api/endpoints/sdk')).toMatchObject({
      state: 'crashing',
      crash: { count: expect.any(Number), lastWords: expect.stringContaining('model file is missing') },
    })
    expect(await service.call('GET', '/v2/sdk/health')).toMatchObject({ workers: { unhealthy: 1 } })
  })
})

// Three starts of the SDK and the pauses between them, on a busy machine.
const CRASHES_MS = 100_000

// A held poll of the worker takes 20 s to end by itself; the SDK itself needs up to 2 s to notice, on a busy machine
// more.
const LEAVE_MS = 15_000

async function isGone(service: Service, workerId: unknown): Promise<true | undefined> {
  return (await service.workers('sdk')).some(({ id }) => id === workerId) ? undefined : true
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
