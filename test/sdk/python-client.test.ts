import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, beforeEach, describe, expect, type TestContext, test } from 'vitest'
import { PREPARE_LIMIT_MS, type PublicPython, preparePublicPython } from './support-python.ts'
import { HELLO_HANDLER, startService } from './support-service.ts'

let python: PublicPython
beforeAll(async () => {
  python = await preparePublicPython()
}, PREPARE_LIMIT_MS)
beforeEach(({ skip }) => skip(!python.ready, python.reason))

const script = (name: string) => fileURLToPath(new URL(`python/${name}`, import.meta.url))

/** Runs a script with the public client against the sample endpoint; gives the JSON that it printed. */
async function runClient(context: TestContext, name: string, facts: Readonly<Record<string, unknown>>) {
  const { baseUrl, key, folder, createEndpoint } = await startService(context)
  const { id } = await createEndpoint({ id: 'hello', handler: HELLO_HANDLER, workersMax: 1 })
  const argument = JSON.stringify({ baseUrl, key, endpointId: id, ...facts })
  // HOME, because the package reads keys of the platform there.
  const env = { ...process.env, HOME: folder, PYTHONDONTWRITEBYTECODE: '1' }
  const { stdout } = await promisify(execFile)(python.python, [script(name), argument], { env })
  return JSON.parse(stdout) as unknown
}

describe.concurrent('the public Python client', () => {
  test.for<[string, unknown]>([
    ['run', { id: expect.stringMatching(/-l1$/), status: 'COMPLETED', output: { greeting: 'Hello, Ada' } }],
    ['run_without_wrapping', { greeting: 'Hello, Ada' }],
    ['run_sync', { greeting: 'Hello, Grace' }],
    ['failed', { status: 'FAILED', output: null }],
    ['stream', { status: 'COMPLETED', output: [], chunks: Array.from({ length: 300 }, (_, n) => ({ count: n + 1 })) }],
    ['cancel', { progress: ['of', 'slept'], same: true, answer: { status: 'CANCELLED' }, after: 'CANCELLED' }],
    [
      'health_and_purge',
      {
        before: {
          jobs: { completed: 0, failed: 0, inProgress: 1, inQueue: 3, retried: 0 },
          workers: { idle: 0, initializing: 0, ready: 0, running: 1, throttled: 0, unhealthy: 0 },
        },
        purged: { removed: 3, status: 'completed' },
        after: ['IN_PROGRESS', 'CANCELLED', 'CANCELLED', 'CANCELLED'],
      },
    ],
    ['errors', { 'wrong key': 'RuntimeError', 'unknown endpoint': 'HTTPError' }],
  ])('%s gives what the platform gives', async ([call, expected], context) => {
    expect(await runClient(context, 'client.py', { do: call })).toEqual(expected)
  })

  test.for(['own', 'package'])('in its asyncio form does the same with a session of %s', async (session, context) => {
    expect(await runClient(context, 'client_asyncio.py', { session })).toEqual({
      output: { greeting: 'Hello, Ada' },
      status: 'COMPLETED',
      chunks: [{ count: 1 }, { count: 2 }, { count: 3 }],
      counted: [],
      jobs: { completed: 2, failed: 0, inProgress: 1, inQueue: 1, retried: 0 },
      purged: { removed: 1, status: 'completed' },
      waiting: 'CANCELLED',
      cancelled: 'CANCELLED',
      after: 'CANCELLED',
    })
  })
})
