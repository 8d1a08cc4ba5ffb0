import { describe, expect, it } from 'vitest'
import { setup } from '../support/core.ts'
import { settle } from '../support/fake-clock.ts'
import { readEvents } from '../support/read-events.ts'
import type { TestWorker } from '../support/worker-client.ts'

const messages = (page: { lines: readonly { line: string }[] }) => page.lines.map(({ line }) => line)

describe('workers', () => {
  it('are listed with what they do', async () => {
    const { createEndpoint, running, get, clock, fleet, worker: next } = await setup()
    await createEndpoint()
    await createEndpoint('other')
    const { jobId, worker } = await running()
    const [pid] = fleet()
      .list()
      .map((one) => one.pid)
    expect(await get('/api/workers?endpoint=e')).toEqual({
      workers: [
        {
          id: worker.id,
          endpointId: 'e',
          state: 'running',
          pool: 'main',
          pid,
          startedAt: expect.any(Number),
          lastSeenAt: clock.wall(),
          jobs: [jobId],
          jobsDone: 0,
        },
      ],
    })
    await worker.done(jobId, { output: 1 })
    await worker.ping([], '&status=unhealthy&check=gpu&reason=fell%20off')
    await next('other')
    expect((await get('/api/workers')).workers).toMatchObject([
      { id: worker.id, state: 'unhealthy', reason: 'gpu: fell off', jobs: [], jobsDone: 1 },
      { endpointId: 'other', state: 'initializing' },
    ])
  })

  it('are stopped by a person, and what they ran is queued again without counting a try', async () => {
    const { createEndpoint, running, post, status, clock, get } = await setup()
    await createEndpoint('e', { workersMin: 0 })
    const { jobId, worker } = await running()
    expect(await post(`/api/workers/${worker.id}/stop`)).toEqual({ ok: true })
    await clock.advance(0)
    expect(await status(jobId)).toEqual({ id: jobId, status: 'IN_QUEUE', input: {} })
    expect((await get('/v2/e/health')).jobs).toMatchObject({ retried: 0 })
  })

  it('may end their jobs within the grace time', async () => {
    const { createEndpoint, running, post, status, clock, fleet } = await setup()
    await createEndpoint('e', { command: '[{"ignore":"SIGTERM"}]', stopGraceMs: 5000 })
    const { jobId, worker } = await running()
    await post(`/api/workers/${worker.id}/stop`)
    await clock.advance(4000)
    await worker.done(jobId, { output: 1 })
    expect((await status(jobId)).status).toBe('COMPLETED')
    await clock.until(() =>
      fleet()
        .list()
        .every(({ workerId }) => workerId !== worker.id),
    )
  })

  it('that ask to be replaced get no further job', async () => {
    const { createEndpoint, running, run, worker: next, status } = await setup()
    await createEndpoint()
    const { jobId, worker } = await running()
    await worker.done(jobId, { output: 1, stopPod: true })
    const id = await run()
    expect(await status(jobId)).toMatchObject({ status: 'COMPLETED', output: 1 })
    const second = await next('e', [worker])
    expect((await second.take())?.id).toBe(id)
  })

  it('that are unhealthy get no job', async () => {
    const { createEndpoint, worker, run, status, clock } = await setup()
    await createEndpoint('e', { command: '[{"ignore":"SIGTERM"}]' })
    const taker = await worker()
    const away = new AbortController()
    const open = taker.take({ signal: away.signal })
    await taker.ping([], '&status=unhealthy')
    const id = await run()
    await clock.advance(100)
    expect((await status(id)).status).toBe('IN_QUEUE')
    away.abort()
    await open
  })

  it('that crash are not explained by the error of a job that ended before', async () => {
    const { createEndpoint, run, worker, fleet, clock, get } = await setup()
    await createEndpoint('e')
    const first = await run()
    const taker = await worker()
    await taker.take()
    fleet().print(taker.id, 'ValueError: no such colour')
    await taker.done(first, { error: 'ValueError: no such colour' })
    const second = await run()
    await taker.take()
    fleet().end(taker.id, { signal: 'SIGKILL' })
    await clock.advance(0)
    expect((await get(`/api/jobs/${second}`)).history.at(-1).reason).toMatch(/exited: killed by SIGKILL$/)
  })

  it('that crash make the endpoint wait, and say why', async () => {
    const { createEndpoint, run, worker, fleet, clock, get } = await setup()
    await createEndpoint('e', { workersMin: 0 })
    const id = await run()
    const taker = await worker()
    fleet().print(taker.id, 'ModuleNotFoundError: torch')
    fleet().end(taker.id, { code: 1 })
    await clock.advance(0)
    const { waitingReason } = await get(`/api/jobs/${id}`)
    expect(waitingReason).toMatch(
      /^No worker runs: worker failed .* after its start: ModuleNotFoundError: torch; next try in /,
    )
    expect((await get('/v2/e/health')).workers.unhealthy).toBe(1)
    expect((await get('/api/endpoints/e')).waitingReason).toBe(waitingReason)
  })

  it('that cannot be started say why', async () => {
    const { createEndpoint, run, fleet, clock, get } = await setup()
    fleet().failStarts = 'the handler file /x/h.py does not exist'
    await createEndpoint('e', { workersMin: 0 })
    const id = await run()
    await clock.advance(100)
    expect((await get(`/api/jobs/${id}`)).waitingReason).toContain('the handler file /x/h.py does not exist')
  })
})

describe('log lines', () => {
  async function withLines() {
    const service = await setup()
    await service.createEndpoint()
    const { jobId, worker } = await service.running({ input: { n: 1 } })
    service.fleet().print(worker.id, 'of the job')
    await worker.done(jobId, { output: 1 })
    service.fleet().print(worker.id, 'between jobs')
    service.fleet().print(worker.id, JSON.stringify({ requestId: jobId, message: 'late', level: 'error' }))
    await settle()
    return { ...service, jobId, worker }
  }

  it('are kept by endpoint, worker and job', async () => {
    const { get, jobId, worker, clock } = await withLines()
    const line = { at: clock.wall(), endpointId: 'e', workerId: worker.id, level: 'INFO' }
    const lines = [
      { ...line, id: 1, jobId, line: 'of the job' },
      { ...line, id: 2, line: 'between jobs' },
      { ...line, id: 3, jobId, line: 'late', level: 'ERROR' },
    ]
    expect(await get('/api/endpoints/e/logs')).toEqual({ lines })
    expect(await get(`/api/workers/${worker.id}/logs`)).toEqual({ lines })
    expect(await get(`/api/jobs/${jobId}/logs`)).toEqual({ lines: [lines[0], lines[2]] })
  })

  it('end with how a worker crashed, each time', async () => {
    const { createEndpoint, worker, fleet, get, clock } = await setup()
    await createEndpoint()
    const used: TestWorker[] = []
    for (const code of [3, 3]) {
      const next = await clock.until(() => worker('e', used), 120_000)
      used.push(next)
      fleet().print(next.id, 'SyntaxError: invalid syntax')
      fleet().end(next.id, { code })
      await settle()
    }
    const lines = [{ line: 'SyntaxError: invalid syntax' }, { line: 'The worker ended: exit code 3.' }]
    expect((await get('/api/endpoints/e/logs')).lines).toMatchObject(
      used.flatMap(({ id: workerId }) => lines.map((line) => ({ ...line, workerId, level: 'ERROR' }))),
    )
  })

  it('written before a result belong to its job', async () => {
    const { createEndpoint, running, fleet, get } = await setup()
    await createEndpoint()
    const { jobId, worker } = await running()
    fleet().place.workers.get(worker.id)?.lines.push('in the last moment')
    await worker.done(jobId, { output: 1 })
    await settle()
    expect(messages(await get(`/api/jobs/${jobId}/logs`))).toEqual(['in the last moment'])
  })

  it('are paged by after and tail', async () => {
    const { get } = await withLines()
    expect(messages(await get('/api/endpoints/e/logs?after=1'))).toEqual(['between jobs', 'late'])
    expect(messages(await get('/api/endpoints/e/logs?after=3'))).toEqual([])
    expect(messages(await get('/api/endpoints/e/logs?tail=1'))).toEqual(['late'])
    expect(messages(await get('/api/endpoints/e/logs?tail=0'))).toEqual([])
    const more = async (query: string) => (await get(`/api/endpoints/e/logs?${query}`)).more
    expect([await more('tail=2'), await more('tail=3'), await more('after=0')]).toEqual([true, undefined, undefined])
  })

  for (const query of ['tail=10001', 'tail=x', 'after=-1', 'follow=yes'])
    it(`refuse ${query}`, async () => {
      const { ask } = await withLines()
      expect((await ask('GET', `/api/endpoints/e/logs?${query}`)).body).toMatchObject({
        code: 'BAD_FIELD',
        status: 400,
      })
    })

  for (const [query, first] of [
    ['', ['of the job', 'between jobs', 'late']],
    ['&tail=1', ['late']],
    ['&tail=0', []],
    ['&after=2', ['late']],
  ] as const) {
    it(`are followed as they come${query === '' ? '' : `, with ${query}`}`, async () => {
      const { request, fleet, worker } = await withLines()
      const events = readEvents(await request('GET', `/api/endpoints/e/logs?follow=true${query}`))
      const next = async () => (await events.next()).map(({ data }) => JSON.parse(data ?? '').line)
      expect(await next()).toEqual(first)
      fleet().print(worker.id, 'new')
      await settle()
      expect(await next()).toEqual(['new'])
      await events.close()
    })
  }

  it('of a worker are cut where they are long, and a job keeps 10,000', async () => {
    const { createEndpoint, running, fleet, get, storage } = await setup()
    await createEndpoint()
    const { jobId, worker } = await running()
    fleet().print(worker.id, 'x'.repeat(20_000))
    const life = fleet().place.workers.get(worker.id)
    life?.lines.push(...Array.from({ length: 10_005 }, (_, n) => `line ${n}`))
    fleet().drainOutput(worker.id)
    await settle()
    const [long] = (await get(`/api/jobs/${jobId}/logs?after=0`)).lines
    expect([long.line.length, long.line]).toEqual([16_384, expect.stringMatching(/^x+ … \(cut\) … x+$/)])
    const all = storage().logs.newest({ by: 'job', id: jobId }, 20_000)
    expect([all.length, all.at(-1)?.line]).toEqual([
      10_001,
      'Further lines of this job are not stored: the limit is 10000.',
    ])
  })
})

describe('a job in detail', () => {
  it('shows history, reasons, deliveries and counts', async () => {
    const { createEndpoint, run, worker, clock, get, fleet, post } = await setup()
    await createEndpoint()
    const id = await run({ a: 1 }, { policy: { lowPriority: true } })
    const at = clock.wall()
    const taker = await worker()
    await taker.take()
    await taker.chunk(id, { output: 1 })
    fleet().end(taker.id, { signal: 'SIGKILL' })
    await clock.advance(0)
    await post(`/v2/e/cancel/${id}`)
    const reason = `worker ${taker.id} exited: killed by SIGKILL`
    expect(await get(`/api/jobs/${id}`)).toEqual({
      id,
      endpointId: 'e',
      status: 'CANCELLED',
      createdAt: at,
      finishedAt: clock.wall(),
      expiresAt: clock.wall() + 30 * 60_000,
      retries: 1,
      lowPriority: true,
      priority: 0,
      attempt: 1,
      input: { a: 1 },
      chunkCount: 0,
      deliveries: [],
      history: [
        { at, event: 'submit', to: 'IN_QUEUE', attempt: 0 },
        { at: expect.any(Number), event: 'claim', from: 'IN_QUEUE', to: 'IN_PROGRESS', workerId: taker.id, attempt: 1 },
        {
          at: expect.any(Number),
          event: 'rescue',
          from: 'IN_PROGRESS',
          to: 'IN_QUEUE',
          workerId: taker.id,
          attempt: 1,
          reason,
        },
        {
          at: clock.wall(),
          event: 'cancel',
          from: 'IN_QUEUE',
          to: 'CANCELLED',
          attempt: 1,
          reason: 'cancelled by a client',
        },
      ],
    })
  })

  it('says why it waits, and how many jobs are ahead of it', async () => {
    const { createEndpoint, run, running, get } = await setup()
    await createEndpoint('e', { workersMin: 0 })
    const first = await run()
    expect((await get(`/api/jobs/${first}`)).waitingReason).toBe('A worker is about to start.')
    await createEndpoint('b')
    await running({}, 'b')
    await run({}, {}, 'b')
    const last = await run({}, {}, 'b')
    expect(await get(`/api/jobs/${last}`)).toMatchObject({
      waitingReason: 'The only worker is busy.',
      queue: { before: 1, how: expect.not.stringContaining('ahead') },
    })
  })
})

describe('metrics', () => {
  it('count what happened in each step, with percentiles', async () => {
    const { createEndpoint, running, run, clock, get } = await setup()
    await createEndpoint()
    const { jobId, worker } = await running()
    await clock.advance(1000)
    await worker.done(jobId, { output: 1 })
    await run()
    await clock.advance(11_000)
    const from = clock.wall() - 60_000
    const { stepMs, points } = await get(`/api/endpoints/e/metrics?from=${from}&to=${clock.wall()}`)
    expect(stepMs).toBe(10_000)
    expect(points[0]).toEqual({
      at: expect.any(Number),
      inQueue: 1,
      inProgress: 0,
      submitted: 2,
      completed: 1,
      failed: 0,
      retried: 0,
      coldStarts: 1,
      delay: { p50: expect.any(Number), p90: expect.any(Number), p99: expect.any(Number), count: 1 },
      execution: { p50: expect.any(Number), p90: expect.any(Number), p99: expect.any(Number), count: 1 },
      workers: { idle: 1 },
      most: { inQueue: 1, inProgress: 1, ready: 1, starting: 1, unhealthy: 0 },
    })
    expect(points[0].execution.p50).toBeGreaterThanOrEqual(1000)
    expect(points[0].execution.p50).toBeLessThanOrEqual(1100)
  })

  for (const query of ['points=0', 'points=1001', 'points=x', 'from=x', 'to=-1'])
    it(`refuse ${query}`, async () => {
      const { createEndpoint, ask } = await setup()
      await createEndpoint()
      expect((await ask('GET', `/api/endpoints/e/metrics?${query}`)).body).toMatchObject({ code: 'BAD_FIELD' })
    })
})

describe('a result that the public SDK cannot send', () => {
  const UNSENT = 'Error while returning job result. | Object of type bytes is not JSON serializable'

  /** A service whose worker runs a job, and prints lines as the SDK does. */
  async function withJob() {
    const service = await setup()
    await service.createEndpoint()
    const { jobId, worker } = await service.running()
    const says = (message: string, requestId: string | null = jobId) =>
      service.fleet().print(worker.id, JSON.stringify({ requestId, message, level: 'ERROR' }))
    return { ...service, jobId, worker, says }
  }

  it.each([
    [[UNSENT, 'Finished.'], 'Object of type bytes is not JSON serializable'],
    [['Finished.', 'Error handling job: Circular reference detected'], 'Circular reference detected'],
  ])('fails its job at once with what is wrong: %j', async (lines, problem) => {
    const { says, waitForJob, jobId, get } = await withJob()
    for (const line of lines) says(line)
    await waitForJob(jobId, 'FAILED')
    const record = await get(`/v2/e/status/${jobId}`)
    expect(record.error).toMatch(`The result of the handler could not be sent: ${problem}. Return only dict, list`)
    const { history } = await get(`/api/jobs/${jobId}`)
    expect(history.map(({ event }: { event: string }) => event)).toEqual(['submit', 'claim', 'fail'])
  })

  it('does nothing to a job whose chunk or progress could not be sent, and whose result then comes', async () => {
    const { says, worker, waitForJob, jobId } = await withJob()
    says(UNSENT)
    await worker.done(jobId, { output: 1 })
    says('Finished.')
    await settle()
    await waitForJob(jobId, 'COMPLETED')
  })

  it('names --rp_debugger if it hides the exception of a handler, and keeps the exception', async () => {
    const { says, waitForJob, jobId } = await withJob()
    says('Captured Handler Exception')
    const exception = {
      error_type: "<class 'ValueError'>",
      error_message: 'no face',
      error_traceback: 'Traceback (most recent call last):\n  File "/a.py", line 1, in f\nValueError: no face\n',
    }
    says(JSON.stringify(exception, undefined, 4), null)
    says("Error handling job: 'output'")
    const { error } = await waitForJob(jobId, 'FAILED')
    expect(JSON.parse(error)).toEqual({
      error_type: 'ValueError',
      error_message: expect.stringMatching(
        /^no face \(the worker runs with --rp_debugger, .*: remove --rp_debugger\)$/,
      ),
      error_traceback: exception.error_traceback,
    })
  })

  it('names --rp_debugger if it hides a result', async () => {
    const { createEndpoint, running, fleet, waitForJob } = await setup()
    await createEndpoint('e', { command: 'python odd.py --rp_debugger' })
    const { jobId, worker } = await running()
    const message = "Error handling job: 'str' object does not support item assignment"
    fleet().print(worker.id, JSON.stringify({ requestId: jobId, message }))
    const { error } = await waitForJob(jobId, 'FAILED')
    expect(error).toMatch(/\('str' object does not .*\), because the worker runs with --rp_debugger/)
  })

  it.each([
    ['Starting API server.', 'remove --rp_serve_api'],
    ['test_input set, using test_input as job input.', 'remove --test_input'],
    ['JobScaler.set_scale | New concurrency set to: 0', 'return at least 1'],
  ])('say that the worker never asks for jobs: %s', async (message, advice) => {
    const { createEndpoint, run, worker, fleet, get } = await setup()
    await createEndpoint()
    const id = await run()
    const first = await worker()
    const waits = () => get(`/api/jobs/${id}/progress`)
    expect((await waits()).waitingReason).not.toContain(advice)
    fleet().print(first.id, JSON.stringify({ requestId: null, message, level: 'INFO' }))
    expect(await waits()).toMatchObject({
      waitingReason: expect.stringContaining(`never asks for jobs: ${advice}`),
      waitingNeedsChange: true,
    })
  })

  it('does nothing to the job of another worker, nor where the network failed', async () => {
    const { says, jobId, get, running, fleet, createEndpoint } = await withJob()
    await createEndpoint('other')
    const other = await running({}, 'other')
    fleet().print(other.worker.id, JSON.stringify({ requestId: jobId, message: UNSENT }))
    fleet().print(other.worker.id, JSON.stringify({ requestId: jobId, message: 'Finished.' }))
    says('Failed to return job results. | 503')
    says('Finished.')
    await settle()
    expect(await get(`/v2/e/status/${jobId}`)).toMatchObject({ status: 'IN_PROGRESS' })
  })
})
