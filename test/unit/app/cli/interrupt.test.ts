import { expect, test, vi } from 'vitest'
import { runCli } from '../../../../src-main/app/cli/run-cli.ts'
import { type Answers, NOW, startStandIn, surroundingsOf, temporaryFolder } from './support.ts'

const JOB = { id: 'j1', status: 'IN_QUEUE' }
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

type Case = {
  readonly argv: readonly string[]
  /** Start of the request that is not answered. */
  readonly during: string
  readonly answers?: Answers
  readonly note: string
}

test.each<Case>([
  { argv: ['run', 'hello', '{}', '--wait'], during: 'GET /api/jobs/j1/progress', note: JOB_CONTINUES },
  { argv: ['runsync', 'hello', '{}'], during: 'GET /api/jobs/j1/progress', note: JOB_CONTINUES },
  {
    argv: ['runsync', 'hello', '{}'],
    during: 'POST /v2/hello/runsync',
    note: 'The job continues once it is queued; `drydock jobs list --endpoint hello` shows it.\n',
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
])('Ctrl+C leaves $argv during $during, and says that its work continues', async ({ argv, during, answers, note }) => {
  const { url, seen } = await startStandIn({
    'POST /v2/hello/run': JOB,
    'POST /v2/hello/runsync': JOB,
    ...answers,
    [during]: () => undefined,
  })
  const env = { SVC_BASE_URL: url, SVC_API_KEY: 'account-key' }
  const { surroundings, written, exits, signal } = surroundingsOf(temporaryFolder(), { env })
  void runCli(argv, surroundings)
  const lines = () => seen.map(({ line }) => line)
  await vi.waitFor(() => expect(lines()).toContainEqual(expect.stringContaining(during)), 10_000)
  signal('SIGINT')
  expect(written.stderr).toContain(note)
  expect(exits).toEqual([130])
})
