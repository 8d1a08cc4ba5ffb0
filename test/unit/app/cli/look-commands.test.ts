import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { type Answers, HELLO_VIEW, NOW, sendError, sendEvents, setupCli } from './support.ts'

const health = {
  jobs: { completed: 5, failed: 1, inProgress: 0, inQueue: 2, retried: 0 },
  workers: { idle: 1, running: 0, ready: 1, initializing: 0, throttled: 0, unhealthy: 0 },
}
const info = {
  version: '0.1.0',
  pid: 7,
  url: 'http://127.0.0.1:8790',
  data: '/data',
  startedAt: NOW - 60_000,
  endpoints: 1,
  jobs: { inQueue: 2, inProgress: 0 },
  lateResults: 0,
}
const logLine = (id: number) => ({
  id,
  at: NOW,
  endpointId: 'hello',
  workerId: 'w1',
  level: 'info',
  line: `line ${id}`,
})
const worker = { id: 'w1', endpointId: 'hello', state: 'idle', startedAt: NOW - 5000, jobs: [], jobsDone: 3 }
const used = { workerId: 'w1', endpointId: 'hello', cpuPercent: 12.5, memoryBytes: 50_000_000, networkSentBytes: 1000 }
const job = { id: 'j1', endpointId: 'hello', status: 'FAILED', createdAt: NOW - 2000, error: '{"error_message": "no"}' }
const proxied = {
  id: 7,
  at: NOW - 2000,
  endpointId: 'hello',
  method: 'POST',
  path: '/run',
  status: 502,
  workerId: 'w1',
  waitedMs: 3,
  firstByteMs: 12,
  durationMs: 15,
  bytesIn: 2048,
  bytesOut: 0,
  error: 'Worker w1 did not answer',
}
const onBox = {
  ...{ ...worker, id: 'w2', state: 'stopping', machine: 'boxa', container: 'b0a4c5e6f7a8b9c0' },
  reason: 'machine boxa is unreachable',
}
const link = { url: 'http://127.0.0.1:8790/sign-in?code=abc', expiresAt: NOW + 60_000, sameUser: true }
const settings = {
  appSchedules: false,
  strictLimits: false,
  strictLimitsFleetShare: 4,
  streamForm: 'array',
  webhooksToPrivateAddresses: false,
  workerSystemChecks: false,
  maxWorkers: 32,
  python: 'python3',
  logRetentionDays: 7,
  jobHistoryDays: 7,
  jobHistoryMaxMib: 5120,
  assetsMaxMib: 10_240,
  modelsMaxMib: 65_536,
  modelsFromPrivateAddresses: false,
  modelHub: 'https://huggingface.co',
  tracesTo: '',
}

const setup = (answers: Answers = {}) =>
  setupCli({
    'GET /api/info': info,
    'GET /api/endpoints': { endpoints: [HELLO_VIEW] },
    'GET /v2/hello/health': health,
    'POST /v2/hello/purge-queue': { removed: 1, status: 'completed' },
    'GET /api/endpoints/hello/logs': { lines: [logLine(1)] },
    'GET /api/jobs/j1/logs': { lines: [logLine(2)] },
    'GET /api/workers/w1/logs': { lines: [logLine(3)] },
    'GET /api/workers': { workers: [worker] },
    'GET /api/workers/usage': { at: 1, workers: [used] },
    'POST /api/workers/w1/stop': { ok: true },
    'GET /api/jobs': { requests: [job], cursor: '41' },
    'GET /api/endpoints/hello/requests': { requests: [proxied], cursor: '7' },
    'POST /api/session-links': link,
    'GET /api/settings': settings,
    'PATCH /api/settings': settings,
    ...answers,
  })

test.each([
  [['health', 'hello'], 'GET /v2/hello/health', health],
  [['purge', 'hello', '--yes'], 'POST /v2/hello/purge-queue', { removed: 1, status: 'completed' }],
  [['logs', 'hello'], 'GET /api/endpoints/hello/logs?tail=200', { lines: [logLine(1)] }],
  [['logs', '--job', 'j1', '--tail', '5'], 'GET /api/jobs/j1/logs?tail=5', { lines: [logLine(2)] }],
  [['logs', '--worker', 'w1'], 'GET /api/workers/w1/logs?tail=200', { lines: [logLine(3)] }],
  [['workers'], 'GET /api/workers', { workers: [worker] }],
  [['workers', 'list', '--endpoint', 'hello'], 'GET /api/workers?endpoint=hello', { workers: [worker] }],
  [['workers', 'usage', '--endpoint', 'hello'], 'GET /api/workers/usage?endpoint=hello', { at: 1, workers: [used] }],
  [['workers', 'stop', 'w1'], 'POST /api/workers/w1/stop', { ok: true }],
  [
    ['requests', 'hello', '--status', '5xx', '--limit', '2', '--cursor', '9'],
    'GET /api/endpoints/hello/requests?status=5xx&limit=2&cursor=9',
    { requests: [proxied], cursor: '7' },
  ],
  [['jobs'], 'GET /api/jobs', { requests: [job], cursor: '41' }],
  [
    ['jobs', 'list', '--status', 'FAILED', '--endpoint', 'hello', '--limit', '2', '--cursor', '9'],
    'GET /api/jobs?endpoint=hello&status=FAILED&limit=2&cursor=9',
    { requests: [job], cursor: '41' },
  ],
  [['jobs', 'search', 'out of memory'], 'GET /api/jobs?q=out+of+memory', { requests: [job], cursor: '41' }],
  [['settings'], 'GET /api/settings', settings],
  [['settings', 'get', 'maxWorkers'], 'GET /api/settings', { maxWorkers: 32 }],
  [['open', '--print'], 'POST /api/session-links', { url: link.url }],
])('%j calls %s and prints the answer as JSON', async (words, line, answer) => {
  const { run, service } = await setup()
  const { exitCode, json } = await run([...words, '--json'])
  expect(exitCode).toBe(0)
  expect(service.seen.map((request) => request.line)).toEqual([line])
  expect(json()).toEqual(answer)
})

test('health without an endpoint shows the service and all its endpoints', async () => {
  const { run } = await setup()
  expect((await run(['health', '--json'])).json()).toEqual({ service: info, endpoints: { hello: health } })
  expect((await run(['health'])).stdout).toMatch(/^jobs +2 in queue, 0 in progress$[\s\S]*^hello +2 +0 +5 +1/m)
})

test('workers shows machines if there are any, and names the unreachable one', async () => {
  const alone = await setup({ 'GET /api/workers': { workers: [worker] } })
  expect((await alone.run(['workers'])).stdout).not.toContain('MACHINE')
  const { run } = await setup({ 'GET /api/workers': { workers: [worker, onBox] } })
  expect((await run(['workers'])).stdout).toBe(
    `WORKER  ENDPOINT  STATE     STARTED  JOBS  DONE  MACHINE       CONTAINER     REASON
w1      hello     idle      5 s ago  0     3     this machine
w2      hello     stopping  5 s ago  0     3     boxa          b0a4c5e6f7a8  machine boxa is unreachable
`,
  )
})

test('jobs prints a table with a line of the input, and of the output or the error', async () => {
  const long = 'a'.repeat(100)
  const { run, service } = await setup({
    'GET /api/jobs': {
      requests: [
        {
          ...job,
          id: 'j2',
          status: 'COMPLETED',
          error: undefined,
          preview: { input: `{"a":"${long}"}`, output: '"b"' },
        },
        { ...job, preview: { input: '{}' } },
      ],
    },
  })
  expect((await run(['jobs'])).stdout).toBe(
    `JOB  ENDPOINT  STATUS     CREATED  DELAY  EXECUTION  ${'INPUT'.padEnd(40)}  OUTPUT OR ERROR
j2   hello     COMPLETED  2 s ago                    {"a":"${long.slice(0, 33)}…  "b"
j1   hello     FAILED     2 s ago                    ${'{}'.padEnd(40)}  no
`,
  )
  expect(service.seen.map(({ line }) => line)).toEqual(['GET /api/jobs?previews=true'])
})

test('requests is a table, and says how to go on', async () => {
  const { run } = await setup()
  const { stdout, stderr } = await run(['requests', 'hello'])
  expect(stdout).toBe(
    'WHEN     METHOD  PATH  STATUS  WAITED  FIRST BYTE  TOTAL  IN       OUT  WORKER  ERROR\n' +
      '2 s ago  POST    /run  502     3 ms    12 ms       15 ms  2.0 KiB  0 B  w1      Worker w1 did not answer\n',
  )
  expect(stderr).toBe('For older requests, add --cursor 7\n')
})

test('requests -f prints one line as each request ends', async () => {
  const { run, service } = await setup({
    'GET /api/endpoints/hello': { ...HELLO_VIEW, loadBalanced: { port: 80 } },
    'GET /api/endpoints/hello/requests': (response: ServerResponse) =>
      sendEvents(response, [
        { event: 'request', id: 7, data: proxied },
        { event: 'end', data: {} },
      ]),
  })
  const { stdout } = await run(['requests', 'hello', '-f', '--status', '5xx'])
  expect(stdout).toMatch(/POST \/run +502 +15 ms +w1 +Worker w1 did not answer$/m)
  expect(service.seen.at(-1)?.line).toBe('GET /api/endpoints/hello/requests?follow=true&status=5xx')
})

test('jobs is a table, with the message of an exception and the way to the next page', async () => {
  const { run } = await setup()
  const { stdout, stderr } = await run(['jobs'])
  expect(stdout).toContain('j1   hello     FAILED  2 s ago                           no\n')
  expect(stderr).toBe('For older jobs, add --cursor 41\n')
})

test('open --print prints the link alone, so that a script can pass it on', async () => {
  const { run } = await setup()
  expect((await run(['open', '--print'])).stdout).toBe(`${link.url}\n`)
})

describe('settings set', () => {
  test.each([
    ['maxWorkers', '8', 8],
    ['strictLimits', 'true', true],
    ['python', 'python3.12', 'python3.12'],
  ])('%s %s sends the value in its type', async (name, text, value) => {
    const { run, service } = await setup()
    await run(['settings', 'set', name, text])
    expect(service.seen).toMatchObject([{ line: 'PATCH /api/settings', body: { [name]: value } }])
  })

  test('refuses a name that is no setting, and names them all', async () => {
    const { run, service } = await setup()
    const { exitCode, stderr } = await run(['settings', 'set', 'speed', '1'])
    expect({ exitCode, sent: service.seen.length }).toEqual({ exitCode: 2, sent: 0 })
    expect(stderr).toContain('maxWorkers')
  })
})

test('requests of an endpoint that takes jobs leads to its jobs', async () => {
  const { run } = await setup({
    'GET /api/endpoints/hello/requests': { requests: [] },
    'GET /api/endpoints/hello': HELLO_VIEW,
  })
  expect((await run(['requests', 'hello'])).stdout).toBe(
    'hello takes jobs, not requests: drydock jobs list --endpoint hello\n',
  )
})

describe('an unknown source is no empty one', () => {
  const unknown = (code: string, error: string) => (response: ServerResponse) => sendError(response, 404, code, error)
  test.each([
    ['jobs', 'list', '--endpoint', 'x'],
    ['jobs', 'search', 'Ada', '--endpoint', 'x', '--json'],
    ['jobs', 'retry', '--endpoint', 'x'],
    ['jobs', 'export', '--endpoint', 'x'],
    ['workers', '--endpoint', 'x'],
    ['workers', 'usage', '--endpoint', 'x'],
    ['workers', 'usage', '--endpoint', 'x', '-f'],
    ['logs', '--worker', 'x'],
    ['logs', '--worker', 'x', '-f', '--json'],
    ['logs', '--job', 'x'],
    ['logs', '--job', 'x', '-f'],
  ])('%s %s %s %s %s', async (...words) => {
    const { run } = await setup({
      'GET /api/jobs': { requests: [] },
      'POST /api/jobs/bulk': { changed: 0, refused: [] },
      'GET /api/jobs/export': (response: ServerResponse) => response.end(),
      'GET /api/workers': { workers: [] },
      'GET /api/workers/usage': { at: 1, workers: [] },
      'GET /api/workers/x/logs': { lines: [] },
      'GET /api/jobs/x/logs': { lines: [] },
      'GET /api/jobs/x/progress': unknown('JOB_NOT_FOUND', 'There is no job x'),
      'GET /api/endpoints/x': unknown('ENDPOINT_NOT_FOUND', 'There is no endpoint x'),
      'GET /api/endpoints': { endpoints: [] },
    })
    const { exitCode, stdout, stderr } = await run(words.filter((word) => word !== undefined))
    expect({ exitCode, stdout }).toEqual({ exitCode: 6, stdout: '' })
    expect(stderr).toMatch(/There is no (?:job|worker|endpoint) x/)
  })
})

describe('logs', () => {
  test('say so where there are none', async () => {
    const { run } = await setup({ 'GET /api/endpoints/hello/logs': { lines: [] } })
    expect(await run(['logs', 'hello'])).toMatchObject({
      stdout: '',
      stderr: 'There are no log lines yet. Use -f to wait for them.\n',
    })
  })

  test.each([[[]], [['--job', 'j1', '--worker', 'w1']]])('needs one source, not %j', async (words) => {
    const { run } = await setup()
    expect(await run(['logs', ...words])).toMatchObject({ exitCode: 2 })
  })

  test('-f prints a line at a time and continues after the last one when the stream breaks off', async () => {
    const answers = [[logLine(1), logLine(2)], [logLine(3)]]
    const { run, service } = await setup({
      'GET /api/endpoints/hello/logs': (response: ServerResponse) => {
        const lines = answers.shift() ?? []
        const end = answers.length === 0 ? [{ event: 'end', data: {} }] : []
        sendEvents(response, [...lines.map((data) => ({ id: data.id, data })), ...end])
      },
    })
    const { exitCode, stdout } = await run(['logs', 'hello', '-f', '--tail', '2', '--json'])
    expect(exitCode).toBe(0)
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([logLine(1), logLine(2), logLine(3)])
    expect(service.seen.map(({ line }) => line)).toEqual([
      'GET /api/endpoints/hello/logs?follow=true&tail=2',
      'GET /api/endpoints/hello/logs?follow=true&after=2',
    ])
  })
})

describe('following what there is none of yet', () => {
  const end = (response: Parameters<typeof sendEvents>[0]) => sendEvents(response, [{ event: 'end', data: {} }])
  const logs =
    (lines: readonly object[]) =>
    (response: ServerResponse, { url }: IncomingMessage) =>
      url?.includes('follow=true')
        ? end(response)
        : void response.setHeader('content-type', 'application/json').end(JSON.stringify({ lines }))

  test('logs -f says so on stderr, and nothing where there are lines', async () => {
    const line = { id: 1, at: NOW, endpointId: 'hello', workerId: 'w', level: 'INFO', line: 'x' }
    const none = await setupCli({ 'GET /api/endpoints/hello/logs': logs([]) })
    expect(await none.run(['logs', 'hello', '-f'])).toMatchObject({
      stdout: '',
      stderr: 'There are no log lines yet. New lines appear here; Ctrl+C stops.\n',
    })
    expect((await none.run(['logs', 'hello', '-f', '--json'])).stderr).toBe('')
    const some = await setupCli({ 'GET /api/endpoints/hello/logs': logs([line]) })
    expect((await some.run(['logs', 'hello', '-f'])).stderr).toBe('')
  })

  test('requests -f says so on stderr, and of an endpoint with jobs where to look', async () => {
    const of = async (view: object) => {
      const { run } = await setupCli({ 'GET /api/endpoints/web/requests': end, 'GET /api/endpoints/web': view })
      return run(['requests', 'web', '-f'], { env: { npm_command: 'exec' } })
    }
    const web = { ...HELLO_VIEW, id: 'web', loadBalanced: { port: 80 } }
    expect(await of(web)).toMatchObject({ stdout: '', stderr: expect.stringContaining('There are no requests yet') })
    expect(await of({ ...HELLO_VIEW, id: 'web' })).toMatchObject({
      stderr: 'web takes jobs, not requests: npx drydock jobs list --endpoint web\n',
    })
  })
})
