import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { CliError } from '../../../../src-main/app/cli/cli-error.ts'
import { runCli } from '../../../../src-main/app/cli/run-cli.ts'
import { followToEnd } from '../../../../src-main/app/cli/session.ts'
import type { ServerSentEvent } from '../../../../src-main/app/client/http.ts'
import { type Answers, HELLO_VIEW, NOW, sendEvents, startStandIn, surroundingsOf, temporaryFolder } from './support.ts'

const JOB = { id: 'j1', status: 'IN_QUEUE' }
const PROGRESS = { ...JOB, endpointId: 'hello', createdAt: NOW, attempt: 0 }
const JOB_CONTINUES = 'Job j1 continues; `drydock status j1` shows it, `drydock cancel j1` cancels it.\n'
const COUNTS = { same: 0, differs: 0, failed: 0, ended: 0 }
const COMPARISON = {
  ...{ id: 'c1', name: 'old, new', createdAt: NOW, rules: {}, mode: 'compare', state: 'running', items: 4, rounds: [] },
  versions: [
    { ...COUNTS, name: 'old', endpoint: 'old' },
    { ...COUNTS, name: 'new', endpoint: 'new' },
  ],
}
const DOWNLOAD = {
  ...{ id: 'd1', url: 'https://example.com/ink.safetensors', folder: '/models', directory: 'loras' },
  ...{ name: 'ink.safetensors', state: 'running', receivedBytes: 0, createdAt: NOW },
}

const BATCH = {
  ...{ id: 'b1', endpointId: 'hello', name: 'inputs', state: 'running', createdAt: NOW, failures: [] },
  ...{ total: 1, received: 1, unsent: 0, drafts: 0, refused: 0, gone: 0 },
  jobs: { IN_QUEUE: 1, IN_PROGRESS: 0, COMPLETED: 0, FAILED: 0, CANCELLED: 0, TIMED_OUT: 0 },
}
const MACHINE = {
  ...{
    name: 'box',
    way: { kind: 'context', name: 'box' },
    swarm: false,
    addedAt: NOW,
    state: 'connecting',
    since: NOW,
  },
  ...{ workers: [], endpoints: [], test: { isRunning: true, steps: [] } },
}
const LINE = { id: 1, at: NOW, endpointId: 'hello', workerId: 'w1', jobId: 'j1', level: 'INFO', line: 'runs' }
const GRAPH = '{"1": {"class_type": "Sink", "inputs": {"n": 1}}}'
const CLASSES = '{"Sink": {"input": {"required": {"n": ["INT", {}]}}, "output": [], "output_node": true}}'
const RUN = { ...JOB, endpointId: 'e', title: 'cat', createdAt: NOW, results: [], errors: [] }
const OF_GRAPHS = { 'GET /api/node-types': { text: CLASSES, source: 'file' }, 'POST /api/workflow-runs': RUN }

type Case = {
  readonly argv: readonly string[]
  readonly stdin?: string
  /** Start of the request that is not answered. */
  readonly during: string
  /** Answer to the first such request; then it is the second that is not answered. */
  readonly first?: object
  readonly answers?: Answers
  readonly note: string
}

const CASES: readonly Case[] = [
  { argv: ['run', 'hello', '{}', '--wait'], during: 'GET /api/jobs/j1/progress', note: JOB_CONTINUES },
  { argv: ['runsync', 'hello', '{}'], during: 'GET /api/jobs/j1/progress', note: JOB_CONTINUES },
  {
    argv: ['runsync', 'hello', '{}'],
    during: 'POST /v2/hello/runsync',
    note: 'The job may have been accepted; if so, `drydock jobs list --endpoint hello` shows it.\n',
  },
  { argv: ['stream', 'hello', 'j1'], during: 'GET /v2/hello/stream/j1', note: JOB_CONTINUES },
  {
    argv: ['compare', 'old', 'new', '--ids', 'j1'],
    during: 'GET /api/endpoints',
    answers: { 'POST /api/comparisons': COMPARISON },
    note: 'Comparison c1 continues; `drydock compare show c1` shows it, `drydock compare stop c1` stops it.\n',
  },
  {
    argv: ['models', 'download', 'https://example.com/ink.safetensors'],
    during: 'GET /api/models/downloads',
    answers: { 'POST /api/models/downloads': DOWNLOAD },
    note: 'Download d1 continues; `drydock models downloads` shows it, `drydock models downloads --cancel d1` cancels it.\n',
  },
  {
    argv: ['logs', '--job', 'j1', '-f'],
    during: 'GET /api/jobs/j1/logs',
    first: { lines: [LINE] },
    note: JOB_CONTINUES,
  },
  {
    argv: ['batch', 'wait', 'b1'],
    during: 'GET /api/batches/b1',
    first: BATCH,
    note: 'Batch b1 continues; `drydock batch show b1` shows it, `drydock batch cancel b1` cancels it.\n',
  },
  {
    argv: ['batch', 'submit', 'hello', 'inputs.jsonl'],
    during: 'POST /api/batches/b1/lines',
    answers: { 'POST /api/endpoints/hello/batches': { ...BATCH, state: 'uploading', received: 0 } },
    note: 'Batch b1 is not complete. To resume it, repeat the same command; `drydock batch cancel b1` cancels it.\n',
  },
  {
    argv: ['endpoint', 'install', 'hello', 'pillow'],
    during: 'GET /api/endpoints/hello',
    answers: {
      'POST /api/endpoints/hello/install': {
        ...HELLO_VIEW,
        install: { state: 'running', packages: ['pillow'], environment: '/handlers/.venv' },
      },
    },
    note: 'The installation continues; the workers of hello are replaced when it ends.\n',
  },
  {
    argv: ['machine', 'test', 'box'],
    during: 'GET /api/machines/box',
    answers: { 'POST /api/machines/box/test': MACHINE },
    note: 'The test of box continues; `drydock machine list` shows its result.\n',
  },
  {
    argv: ['workflow', 'run', '-', '--endpoint', 'e'],
    stdin: GRAPH,
    during: 'GET /api/workflow-runs/j1',
    answers: OF_GRAPHS,
    note: JOB_CONTINUES,
  },
  {
    argv: ['workflow', 'sweep', '-', '--endpoint', 'e', '--over', '1.n=1..2'],
    stdin: GRAPH,
    during: 'GET /api/workflow-runs/j1',
    answers: OF_GRAPHS,
    note: ' continues with 2 of 2 runs; `drydock workflow sweeps` shows it, ',
  },
]

test.each(CASES)(
  'Ctrl+C leaves $argv during $during, and says that its work continues',
  async ({ argv, stdin, during, first, answers, note }) => {
    const asked = () => seen.filter(({ line }) => line.startsWith(during)).length
    const { url, seen } = await startStandIn({
      'POST /v2/hello/run': JOB,
      'POST /v2/hello/runsync': JOB,
      ...answers,
      [during]: (response: ServerResponse) => {
        if (first === undefined || asked() > 1) return
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(first))
      },
    })
    const env = { SVC_BASE_URL: url, SVC_API_KEY: 'account-key' }
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'inputs.jsonl'), '{}\n')
    const { surroundings, written, exits, signal } = surroundingsOf(folder, {
      env,
      ...(stdin === undefined ? {} : { stdin }),
    })
    void runCli(argv, surroundings)
    await vi.waitFor(() => expect(asked()).toBe(first === undefined ? 1 : 2), 30_000)
    signal('SIGINT')
    expect(written.stderr).toContain(note)
    expect(exits).toEqual([130])
  },
)

// Streams pause for real between their tries.
test.each(CASES.filter(({ argv }) => !['stream', 'logs'].includes(argv[0] ?? '')))(
  '$argv says that its work continues when the service stays away during $during',
  async ({ argv, stdin, during, first, answers, note }) => {
    const asked = () => seen.filter(({ line }) => line.startsWith(during)).length
    const { url, seen } = await startStandIn({
      'POST /v2/hello/run': JOB,
      'POST /v2/hello/runsync': JOB,
      ...answers,
      [during]: (response: ServerResponse) => {
        if (first === undefined || asked() > 1) response.destroy()
        else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(first))
      },
    })
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'inputs.jsonl'), '{}\n')
    const env = { SVC_BASE_URL: url, SVC_API_KEY: 'account-key' }
    const { surroundings, written } = surroundingsOf(folder, { env, ...(stdin === undefined ? {} : { stdin }) })
    expect(await runCli(argv, surroundings)).toBe(3)
    expect(written.stderr).toContain('the connection was lost. Check it with `drydock doctor`.')
    expect(written.stderr).toContain(note)
  },
)

test.each([
  [['run', 'hello', '{}', '--wait'], 'GET /api/jobs/j1/progress', PROGRESS],
  [['stream', 'hello', 'j1'], 'GET /v2/hello/stream/j1', undefined],
])('%j goes on after the service restarts', async (argv, during, progress) => {
  const done = { id: 'j1', status: 'COMPLETED', output: 'hi' }
  const cutOnce = (response: ServerResponse) => {
    if (seen.filter(({ line }) => line.startsWith(during)).length === 1) response.destroy()
    else if (progress === undefined) sendEvents(response, [{ event: 'end', data: done }])
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(progress))
  }
  const { url, seen } = await startStandIn({
    'POST /v2/hello/run': JOB,
    'GET /v2/hello/status-sync/j1': done,
    'GET /api/jobs/j1/progress': PROGRESS,
    [during]: cutOnce,
  })
  const env = { SVC_BASE_URL: url, SVC_API_KEY: 'account-key' }
  const { surroundings } = surroundingsOf(temporaryFolder(), { env })
  expect(await runCli(argv, surroundings)).toBe(0)
})

test('a stream that had nothing to say continues after the service restarts', async () => {
  let asked = 0
  async function* follow(): AsyncGenerator<ServerSentEvent> {
    asked += 1
    if (asked === 2) throw new CliError('NOT_REACHABLE', { url: '', why: 'nothing listens there' })
    if (asked === 3) yield { id: '1', event: 'end', data: '' }
  }
  const events = await Array.fromAsync(followToEnd({ follow }, 'endpointLogs', () => ({})))
  expect(events).toHaveLength(1)
})
