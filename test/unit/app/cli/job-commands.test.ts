import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Answers, NOW, sendError, sendEvents, setupCli } from './support.ts'

const done = { id: 'j1', status: 'COMPLETED', delayTime: 12, executionTime: 3, output: { ok: 1 }, workerId: 'w1' }
const failed = { id: 'j1', status: 'FAILED', error: 'asked to fail' }
const waiting = { id: 'j1', status: 'IN_QUEUE' }

const detail = {
  id: 'j1',
  endpointId: 'hello',
  status: 'IN_QUEUE',
  createdAt: NOW - 2000,
  input: {},
  lowPriority: false,
  priority: 0,
  attempt: 0,
  waitingReason: 'the endpoint is paused',
  history: [{ at: NOW - 2000, event: 'submit', to: 'IN_QUEUE', attempt: 0 }],
  deliveries: [],
  chunkCount: 0,
}

const progress = { id: 'j1', endpointId: 'hello', status: 'IN_QUEUE', createdAt: NOW - 2000, attempt: 0 }
const TERMINAL = { person: {}, env: { NO_COLOR: '1' } }

const inTurn = (answers: unknown[]) => (response: Parameters<typeof sendEvents>[0]) => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answers.shift()))
}

const setup = (answers: Answers = {}) =>
  setupCli({
    'POST /v2/hello/run': waiting,
    'GET /api/jobs/j1': detail,
    'GET /api/jobs/j1/progress': { ...progress, waitingReason: 'the endpoint is paused' },
    ...answers,
  })

test.each([
  ['999', 'A'.repeat(999), `"${'A'.repeat(999)}"`],
  ['1000', 'Aa1+'.repeat(250), `"${'Aa1+'.repeat(6)}... (750 B in base64; --json prints all)"`],
  ['1001', 'Aa1+'.repeat(250).concat('A'), `"${'Aa1+'.repeat(6)}... (1001 B of text; --json prints all)"`],
  ['1200', 'x'.repeat(1200), `"${'x'.repeat(24)}... (1.2 KiB of text; --json prints all)"`],
])('a word of %s characters in an output is printed to a person as far as it can be read', async (_n, data, shown) => {
  const { run } = await setup({ 'POST /v2/hello/runsync': { ...done, output: { data } } })
  expect((await run(['runsync', 'hello'], TERMINAL)).stdout).toContain(`output     {"data":${shown}}\n`)
  expect((await run(['runsync', 'hello', '--json'])).json()).toMatchObject({ output: { data } })
})

describe('run', () => {
  test.each([
    ['a bare input is wrapped', ['{"a":1}'], { input: { a: 1 } }],
    [
      'a body with an input object is taken as it is',
      ['{"input":{"a":1},"webhook":"http://x"}'],
      { input: { a: 1 }, webhook: 'http://x' },
    ],
    ['an input with a plain field of that name is wrapped', ['{"input":"text"}'], { input: { input: 'text' } }],
    ['no input is the empty one', [], { input: {} }],
    [
      'spans of time may have a unit',
      ['{}', '--ttl', '2min', '--execution-timeout', '60s'],
      { input: {}, policy: { ttl: 120_000, executionTimeout: 60_000 } },
    ],
    [
      'options become fields of the body',
      [
        '{}',
        '--webhook',
        'http://x',
        '--ttl',
        '60000',
        '--execution-timeout',
        '5000',
        '--low-priority',
        '--idempotency-key',
        'k',
      ],
      {
        input: {},
        webhook: 'http://x',
        idempotencyKey: 'k',
        policy: { ttl: 60_000, executionTimeout: 5000, lowPriority: true },
      },
    ],
    [
      'options are added to the policy of the body',
      ['{"input":{},"policy":{"ttl":20000}}', '--low-priority'],
      { input: {}, policy: { ttl: 20_000, lowPriority: true } },
    ],
  ])('%s', async (_name, words, body) => {
    const { run, service } = await setup()
    const { exitCode, json } = await run(['run', 'hello', ...words, '--json'])
    expect({ exitCode, answer: json() }).toEqual({ exitCode: 0, answer: waiting })
    expect(service.seen).toMatchObject([{ line: 'POST /v2/hello/run', body }])
  })

  test('reads the input from standard input', async () => {
    const { run, service } = await setup()
    await run(['run', 'hello', '-'], { stdin: '{"a":"ä"}' })
    expect(service.seen[0]?.body).toEqual({ input: { a: 'ä' } })
  })

  test('reads the input from a file of the folder of the caller', async () => {
    const { run, service, folder } = await setup()
    writeFileSync(join(folder, 'in.json'), '{"a":2}')
    await run(['run', 'hello', '--input-file', 'in.json'])
    expect(service.seen[0]?.body).toEqual({ input: { a: 2 } })
  })

  test.each([
    ['text that is no JSON', ['{a:1}'], /not valid JSON/],
    ['a file as other programs take it', ['@a.json'], /To read it from a file, use --input-file a\.json/],
    ['a list', ['[1]'], /not a JSON object/],
    ['a file that is not there', ['--input-file', 'none.json'], /cannot be read \(ENOENT\)/],
    ['two inputs', ['{}', '--input-file', 'x'], /not both/],
    ['a ttl that is no duration', ['{}', '--ttl', 'soon'], /must be a duration, like 500ms/],
  ])('refuses %s', async (_name, words, message) => {
    const { run, service } = await setup()
    const { exitCode, stderr } = await run(['run', 'hello', ...words])
    expect({ exitCode, sent: service.seen.length }).toEqual({ exitCode: 2, sent: 0 })
    expect(stderr).toMatch(message)
  })

  test('prints the id alone in a pipe, and what a person wants to know at a terminal', async () => {
    const { run } = await setup()
    expect((await run(['run', 'hello'])).stdout).toBe('j1\n')
    expect((await run(['run', 'hello'], TERMINAL)).stdout).toBe('job       j1\nendpoint  hello\nstatus    IN_QUEUE\n')
  })

  test('with --wait asks until the job has ended and prints the result, and why it waits', async () => {
    const { run, service } = await setup({
      'GET /v2/hello/status-sync/j1': inTurn([waiting, done]),
      'GET /api/jobs/j1/progress': { ...progress, waitingReason: 'A worker is starting, for 1 s.' },
    })
    const { exitCode, stdout, stderr } = await run(['run', 'hello', '{}', '--wait'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining('status     COMPLETED\n') })
    expect(stderr).toBe('waits: A worker is starting, for 1 s.\n')
    expect(service.seen.map(({ line }) => line)).toEqual([
      'POST /v2/hello/run',
      'GET /api/jobs/j1/progress',
      'GET /v2/hello/status-sync/j1?wait=1000',
      'GET /api/jobs/j1/progress',
      'GET /v2/hello/status-sync/j1?wait=1000',
    ])
  })

  test.each([
    ['run --wait', ['run', 'hello', '--wait']],
    ['runsync', ['runsync', 'hello']],
  ])('%s gives up with 1 and the reason when waiting cannot help', async (_name, words) => {
    const waitingReason = "No worker runs: worker failed 3 times within 4 s: ModuleNotFoundError: No module named 'x'."
    const { run } = await setup({
      'POST /v2/hello/runsync': waiting,
      'GET /v2/hello/status/j1': waiting,
      'GET /v2/hello/status-sync/j1': waiting,
      'GET /api/jobs/j1/progress': inTurn([
        { ...progress, waitingReason: 'A worker is starting.' },
        { ...progress, waitingReason, waitingNeedsChange: true },
      ]),
    })
    const { exitCode, stderr, json } = await run([...words, '--json'])
    expect({ exitCode, answer: json() }).toEqual({ exitCode: 1, answer: waiting })
    expect(JSON.parse(stderr)).toEqual({
      code: 'WAITS_IN_VAIN',
      error: `Job j1 cannot start. ${waitingReason} It stays in the queue and runs once that is fixed; \`drydock cancel j1\` cancels it.`,
    })
  })

  test('with the key of an endpoint, which may not ask why, waits all the same', async () => {
    const { run } = await setup({
      'GET /v2/hello/status-sync/j1': done,
      'GET /api/jobs/j1/progress': (response: Parameters<typeof sendError>[0]) =>
        sendError(response, 403, 'KEY_NOT_ALLOWED', 'not with this key'),
    })
    expect((await run(['run', 'hello', '--wait', '--json'])).json()).toEqual(done)
  })
})

describe('runsync', () => {
  test('prints the record for people', async () => {
    const { run, service } = await setup({ 'POST /v2/hello/runsync': done })
    const { exitCode, stdout } = await run(['runsync', 'hello', '{"a":1}', '--wait-ms', '1500'], TERMINAL)
    expect(service.seen).toMatchObject([{ line: 'POST /v2/hello/runsync?wait=1000', body: { input: { a: 1 } } }])
    expect(exitCode).toBe(0)
    expect(stdout).toBe(
      'job        j1\nendpoint   hello\nstatus     COMPLETED\ndelay      12 ms\nexecution  3 ms\nworker     w1\noutput     {"ok":1}\n',
    )
  })

  test('of a job that fails prints the record and exits with 4', async () => {
    const { run } = await setup({ 'POST /v2/hello/runsync': failed })
    const { exitCode, stderr, json } = await run(['runsync', 'hello', '--json'])
    expect({ exitCode, answer: json() }).toEqual({ exitCode: 4, answer: failed })
    expect(JSON.parse(stderr)).toEqual({ error: 'Job j1 ended as FAILED: asked to fail.', code: 'JOB_NOT_SUCCESSFUL' })
  })

  test('tells an error at a node of a graph in plain words, and the calls within its server only as JSON', async () => {
    const place = { node: '3', class: 'KSampler', reason: 'no memory' }
    const error = JSON.stringify({ message: 'Job processing failed', ...place, traceback: 'Traceback:\n  x\n' })
    const { run } = await setup({ 'POST /v2/hello/runsync': { ...failed, error } })
    const { stdout, stderr } = await run(['runsync', 'hello'], TERMINAL)
    expect(stdout).toContain('error     KSampler (3): no memory\n          (--json prints its traceback)\n')
    expect(stderr).toContain('Job j1 ended as FAILED: KSampler (3): no memory')
  })

  test('shows the traceback of an exception, and its first line as the error', async () => {
    const error = JSON.stringify({
      error_type: "<class 'ValueError'>",
      error_message: 'no',
      error_traceback: 'Traceback:\n  x\n',
    })
    const { run } = await setup({ 'POST /v2/hello/runsync': { ...failed, error } })
    const { stdout, stderr } = await run(['runsync', 'hello'], TERMINAL)
    expect(stdout).toContain('error     ValueError: no\n          Traceback:\n            x\n')
    expect(stderr).toBe('drydock: Job j1 ended as FAILED: ValueError: no.\n')
  })

  test('ends with one full stop where the error is a sentence', async () => {
    const { run } = await setup({ 'POST /v2/hello/runsync': { ...failed, error: 'Return its URL.' } })
    expect((await run(['runsync', 'hello'], TERMINAL)).stderr).toBe(
      'drydock: Job j1 ended as FAILED: Return its URL.\n',
    )
  })

  test('prints the same in a pipe, and JSON only with --json', async () => {
    const error = JSON.stringify({
      error_type: 'ValueError',
      error_message: 'no',
      error_traceback: 'Traceback:\n  x\n',
    })
    const { run } = await setup({ 'POST /v2/hello/runsync': { ...failed, error } })
    const { stdout } = await run(['runsync', 'hello'])
    expect(stdout).toBe((await run(['runsync', 'hello'], TERMINAL)).stdout)
    expect(stdout).toContain('error     ValueError: no\n          Traceback:\n            x\n')
    expect((await run(['runsync', 'hello', '--json'])).json()).toEqual({ ...failed, error })
  })

  test('whose wait is over exits with 1 and says how to go on', async () => {
    const { run } = await setup({ 'POST /v2/hello/runsync': { id: 'j1', status: 'IN_PROGRESS' } })
    expect(await run(['runsync', 'hello', '--wait-ms', '0'])).toMatchObject({
      exitCode: 1,
      stderr: 'drydock: Gave up waiting: job j1 is still IN_PROGRESS. Check it later with `drydock status hello j1`.\n',
    })
  })
})

describe('a job is named', () => {
  test.each([
    ['status', 'GET', done],
    ['cancel', 'POST', { id: 'j1', status: 'CANCELLED' }],
    ['retry', 'POST', waiting],
  ])('by its id alone for %s', async (verb, method, answer) => {
    const { run, service } = await setup({ [`${method} /v2/hello/${verb}/j1`]: answer })
    const { exitCode, json } = await run([verb, 'j1', '--json'])
    expect({ exitCode, answer: json() }).toEqual({ exitCode: 0, answer })
    expect(service.seen.map(({ line }) => line)).toEqual(['GET /api/jobs/j1', `${method} /v2/hello/${verb}/j1`])
  })

  test.each(['status', 'cancel', 'retry'])('by endpoint and id for %s', async (verb) => {
    const answer = { id: 'a/b', status: 'CANCELLED' }
    const { run, service } = await setup({
      'GET /v2/hello/status/a%2Fb': answer,
      'POST /v2/hello/cancel/a%2Fb': answer,
      'POST /v2/hello/retry/a%2Fb': answer,
    })
    expect(await run([verb, 'hello', 'a/b', '--json'])).toMatchObject({ exitCode: 0 })
    expect(service.seen).toHaveLength(1)
  })
})

describe('cancel', () => {
  const shared = { 'POST /api/jobs/cancel-effects': { count: 1, more: false, running: 1, others: 1 } }
  const alone = { 'POST /api/jobs/cancel-effects': { count: 1, more: false, running: 1, others: 0 } }
  const cancelled = { 'POST /v2/hello/cancel/j1': { id: 'j1', status: 'CANCELLED' } }
  const cancels = (seen: readonly { readonly line: string }[]) => seen.some(({ line }) => line.startsWith('POST /v2/'))
  const warning = 'This worker also runs 1 other job.'

  test('asks a person first where another job of the worker may start again', async () => {
    const { run, service } = await setup({ ...shared, ...cancelled })
    const argv = ['cancel', 'hello', 'j1']
    const refused = await run(argv, { person: { yes: false } })
    expect(refused).toMatchObject({ exitCode: 1, asked: ['Cancel the job?'] })
    expect(refused.stderr).toContain(warning)
    expect(cancels(service.seen)).toBe(false)
    expect(await run(argv, { person: { yes: true } })).toMatchObject({ exitCode: 0 })
    expect(cancels(service.seen)).toBe(true)
  })

  test.each([
    ['where its worker runs nothing else', [], { person: {} }, alone],
    ['with --yes', ['--yes'], { person: {} }, shared],
    ['without a terminal', [], {}, shared],
  ])('asks nothing %s', async (_where, options, given, effects) => {
    const { run } = await setup({ ...effects, ...cancelled })
    const { exitCode, asked, stderr } = await run(['cancel', 'hello', 'j1', ...options], given)
    expect({ exitCode, asked, stderr }).toEqual({ exitCode: 0, asked: [], stderr: '' })
  })
})

describe('status', () => {
  test('says why a job waits', async () => {
    const { run } = await setup({ 'GET /v2/hello/status/j1': waiting })
    expect((await run(['status', 'hello', 'j1'])).stdout).toBe(
      'job       j1\nendpoint  hello\nstatus    IN_QUEUE\nwaits     the endpoint is paused\n',
    )
  })

  test('says why a job waits as JSON too, with the fields of the pages, and nothing of one that has ended', async () => {
    const status = {
      waitingReason: 'A worker is starting.',
      queue: { before: 2, more: false, how: 'by the last starts' },
    }
    const { run } = await setup({
      'GET /v2/hello/status/j1': inTurn([waiting, done]),
      'GET /api/jobs/j1/progress': { ...progress, ...status },
    })
    expect((await run(['status', 'hello', 'j1', '--json'])).json()).toEqual({ ...waiting, ...status })
    expect((await run(['status', 'hello', 'j1', '--json'])).json()).toEqual(done)
  })

  test('says that a job that has ended started twice', async () => {
    const warnings = ['Started twice: boxa was lost.']
    const { run } = await setup({
      'GET /v2/hello/status/j1': done,
      'GET /api/jobs/j1/progress': { ...progress, status: 'COMPLETED', warnings },
    })
    expect((await run(['status', 'hello', 'j1'])).stdout).toMatch(/warning +Started twice: boxa was lost\.\n/)
  })

  test('with --history shows every move', async () => {
    const { run } = await setup()
    expect((await run(['status', 'j1', '--history'])).stdout).toContain('2 s ago  submit  IN_QUEUE  0\n')
  })
})

describe('stream', () => {
  const chunks = [
    { event: 'chunk', data: { output: 'a' } },
    { event: 'chunk', data: { output: { n: 2 } } },
  ]
  const streamOf = (...answers: (readonly { event: string; data: unknown }[])[]) =>
    setup({
      'GET /api/jobs/j1/progress': progress,
      'GET /v2/hello/stream/j1': (response: Parameters<typeof sendEvents>[0]) =>
        sendEvents(response, answers.shift() ?? []),
    })

  test('prints the chunks as they come, then how the job ended', async () => {
    const { run } = await streamOf([...chunks, { event: 'end', data: { status: 'COMPLETED' } }])
    expect(await run(['stream', 'hello', 'j1'])).toMatchObject({
      exitCode: 0,
      stdout: 'a\n{"n":2}\n',
      stderr: 'job j1 ended as COMPLETED\n',
    })
  })

  test('prints one object a line with --json', async () => {
    const { run } = await streamOf([...chunks, { event: 'end', data: { status: 'COMPLETED' } }])
    expect((await run(['stream', 'hello', 'j1', '--json'])).stdout).toBe(
      '{"output":"a"}\n{"output":{"n":2}}\n{"status":"COMPLETED"}\n',
    )
  })

  test('continues where a stream ended before its job', async () => {
    const { run } = await streamOf(chunks.slice(0, 1), [
      ...chunks.slice(1),
      { event: 'end', data: { status: 'COMPLETED' } },
    ])
    expect(await run(['stream', 'hello', 'j1'])).toMatchObject({ exitCode: 0, stdout: 'a\n{"n":2}\n' })
  })

  const openStream = (response: Parameters<typeof sendEvents>[0]) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  }
  const hopeless = {
    ...progress,
    waitingReason: 'The endpoint is paused. Resume it to continue.',
    waitingNeedsChange: true,
  }

  test('tells why a job waits, and gives up with 1 when waiting cannot help', async () => {
    const { run } = await setup({
      'GET /v2/hello/stream/j1': openStream,
      'GET /api/jobs/j1/progress': inTurn([{ ...progress, waitingReason: 'A worker is starting, for 1 s.' }, hopeless]),
    })
    const { exitCode, stdout, stderr } = await run(['stream', 'hello', 'j1'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toBe(
      'waits: A worker is starting, for 1 s.\nwaits: The endpoint is paused. Resume it to continue.\ndrydock: Job j1 cannot start. The endpoint is paused. Resume it to continue. It stays in the queue and runs once that is fixed; `drydock cancel j1` cancels it.\n',
    )
  })

  test('shows the reason in the last line of a terminal, and takes it away before a chunk', async () => {
    let stream: Parameters<typeof sendEvents>[0] | undefined
    const { run } = await setup({
      'GET /v2/hello/stream/j1': (response: Parameters<typeof sendEvents>[0]) => {
        stream = response
        openStream(response)
      },
      'GET /api/jobs/j1/progress': (response: Parameters<typeof sendEvents>[0]) => {
        const answer = stream === undefined ? { ...progress, waitingReason: 'A worker is starting.' } : progress
        response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
        const end = { event: 'end', data: '{"status":"COMPLETED"}' }
        for (const { event, data } of [{ event: 'chunk', data: '{"output":"a"}' }, end])
          stream?.write(`event: ${event}\ndata: ${data}\n\n`)
      },
    })
    const { exitCode, stdout } = await run(['stream', 'hello', 'j1'], {
      person: { columns: 40 },
      env: { NO_COLOR: '1' },
    })
    expect(exitCode).toBe(0)
    expect(stdout).toContain('waits: A worker is starting.\r\x1b[2Ka\n')
  })

  test.each([
    ['first', 0, 20],
    ['last', 20, 0],
  ])('of an unknown job says so and exits with 6, if the stream is refused %s', async (_when, streamMs, progressMs) => {
    const refuseAfter = (ms: number) => (response: Parameters<typeof sendError>[0]) =>
      void setTimeout(sendError, ms, response, 404, 'JOB_NOT_FOUND', 'There is no job j1 here')
    const { run } = await setup({
      'GET /v2/hello/stream/j1': refuseAfter(streamMs),
      'GET /api/jobs/j1/progress': refuseAfter(progressMs),
    })
    expect(await run(['stream', 'hello', 'j1'])).toMatchObject({
      exitCode: 6,
      stderr: 'drydock: There is no job j1 here\n',
    })
  })

  test('continues to its end if the service cannot say why the job waits', async () => {
    const { run } = await setup({
      'GET /v2/hello/stream/j1': (response: Parameters<typeof sendEvents>[0]) =>
        void setTimeout(sendEvents, 20, response, [...chunks, { event: 'end', data: { status: 'COMPLETED' } }]),
      'GET /api/jobs/j1/progress': (response: Parameters<typeof sendError>[0]) =>
        sendError(response, 503, 'STORAGE_FAILED', 'not now'),
    })
    expect(await run(['stream', 'hello', 'j1'])).toMatchObject({ exitCode: 0, stdout: 'a\n{"n":2}\n' })
  })

  test('of a job that does not succeed prints its error with the traceback, and exits with 4', async () => {
    const error = JSON.stringify({
      error_type: 'ValueError',
      error_message: 'no',
      error_traceback: 'Traceback:\n  x\n',
    })
    const { run } = await setup({
      'GET /api/jobs/j1/progress': progress,
      'GET /v2/hello/stream/j1': (response: Parameters<typeof sendEvents>[0]) =>
        sendEvents(response, [{ event: 'end', data: { status: 'FAILED' } }]),
      'GET /v2/hello/status/j1': { ...failed, error },
    })
    expect(await run(['stream', 'hello', 'j1'])).toMatchObject({
      exitCode: 4,
      stderr: `job j1 ended as FAILED
ValueError: no
Traceback:
  x
drydock: Job j1 ended as FAILED: ValueError: no.
`,
    })
    expect((await run(['stream', 'hello', 'j1', '--json'])).stdout).toBe('{"status":"FAILED"}\n')
  })
})

describe('a job whose ttl passes while it runs, so that the API forgets it', () => {
  const forgotten = { ...detail, status: 'TIMED_OUT', waitingReason: undefined, expiresAt: NOW }
  const answers = {
    'GET /api/jobs/j1': forgotten,
    'GET /api/jobs/j1/progress': progress,
    'GET /v2/hello/status/j1': (response: Parameters<typeof sendError>[0]) =>
      sendError(response, 404, 'JOB_NOT_FOUND', 'gone'),
  }

  test('ends its stream as TIMED_OUT', async () => {
    const { run } = await setup({
      ...answers,
      'GET /v2/hello/stream/j1': (response: Parameters<typeof sendEvents>[0]) =>
        sendEvents(response, [{ event: 'end', data: { status: 'TIMED_OUT' } }]),
    })
    const { exitCode, stderr } = await run(['stream', 'hello', 'j1'])
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('Job j1 ended as TIMED_OUT')])
  })

  test('ends a wait as TIMED_OUT', async () => {
    const { run } = await setup({
      ...answers,
      'POST /v2/hello/run': { id: 'j1', status: 'IN_QUEUE' },
      'GET /v2/hello/status-sync/j1': answers['GET /v2/hello/status/j1'],
    })
    const { exitCode, stderr } = await run(['run', 'hello', '--wait'])
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('Job j1 ended as TIMED_OUT')])
  })
})

describe('a job that has expired for the API', () => {
  const notFound = (response: Parameters<typeof sendError>[0]) => sendError(response, 404, 'JOB_NOT_FOUND', 'gone')
  const expired = { ...detail, status: 'COMPLETED', waitingReason: undefined, output: { ok: 1 }, expiresAt: NOW - 1 }
  const answers = {
    'GET /api/jobs/j1': expired,
    'GET /v2/hello/status/j1': notFound,
    'POST /v2/hello/retry/j1': notFound,
    'POST /v2/hello/cancel/j1': notFound,
    'POST /api/jobs/j1/rerun': { id: 'j2', status: 'IN_QUEUE' },
    'GET /api/jobs': { requests: [expired, { ...expired, id: 'j3', expiresAt: NOW + 1 }] },
  }

  test.each([
    ['status', 'j1'],
    ['status', 'hello', 'j1'],
    ['status', 'j1', '--history'],
  ])('is read with %s %s, and says so', async (...argv) => {
    const { run } = await setup(answers)
    const { stdout, stderr, exitCode } = await run(argv)
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('{"ok":1}')])
    expect(stderr).toContain('Expired for the API')
    expect(stderr).toContain('drydock retry j1 --new')
  })

  test('is marked in the list, and no other', async () => {
    const { run } = await setup(answers)
    const { stdout, stderr } = await run(['jobs'])
    expect(stdout).toMatch(/^j1 .*COMPLETED, expired/m)
    expect(stdout).toMatch(/^j3 .*COMPLETED (?!, expired)/m)
    expect(stderr).toContain('Expired: the API answers 404')
  })

  test('cannot be retried or cancelled; the refusal says how it runs again, and that works', async () => {
    const { run } = await setup(answers)
    for (const verb of ['retry', 'cancel']) {
      const { exitCode, stderr } = await run([verb, 'j1'])
      expect(exitCode).toBe(1)
      expect(stderr).toContain('Job j1 is COMPLETED and expired')
      expect(stderr).toContain('drydock retry j1 --new')
    }
    expect((await run(['retry', 'j1', '--new'])).stdout).toContain('j2')
  })

  test('that nobody knows any more is refused as before', async () => {
    const { run } = await setup({ ...answers, 'GET /api/jobs/j1': notFound })
    const { exitCode, stderr } = await run(['status', 'hello', 'j1'])
    expect([exitCode, stderr]).toEqual([6, expect.stringContaining('gone')])
  })
})
