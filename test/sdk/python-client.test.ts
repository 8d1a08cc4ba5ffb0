import { beforeAll, beforeEach, describe, expect, type TestContext, test } from 'vitest'
import { runPythonClient } from './support-clients.ts'
import { PREPARE_LIMIT_MS, type PublicPython, preparePublicPython } from './support-python.ts'

let python: PublicPython
beforeAll(async () => {
  python = await preparePublicPython()
}, PREPARE_LIMIT_MS)
beforeEach(({ skip }) => skip(!python.ready, python.reason))

const runClient = (context: TestContext, name: string, facts: Readonly<Record<string, unknown>>) =>
  runPythonClient(context, python, name, facts)

describe.concurrent('the public Python client', () => {
  test('returns the same results as on the platform', async (context) => {
    const told = {
      run_without_wrapping: { greeting: 'Hello, Ada' },
      run_sync: { greeting: 'Hello, Grace' },
      failed: { status: 'FAILED', output: null },
      stream: { status: 'COMPLETED', output: [], chunks: Array.from({ length: 300 }, (_, n) => ({ count: n + 1 })) },
      errors: { 'wrong key': 'RuntimeError', 'unknown endpoint': 'HTTPError' },
      cancel: { progress: ['of', 'slept'], same: true, answer: { status: 'CANCELLED' }, after: 'CANCELLED' },
    }
    expect(await runClient(context, 'client.py', { do: Object.keys(told) })).toEqual(told)
  })

  test('reads the health of an endpoint and purges its queue', async (context) => {
    expect(await runClient(context, 'client.py', { do: ['health_and_purge'] })).toEqual({
      health_and_purge: {
        before: {
          jobs: { completed: 0, failed: 0, inProgress: 1, inQueue: 3, retried: 0 },
          workers: { idle: 0, initializing: 0, ready: 0, running: 1, throttled: 0, unhealthy: 0 },
        },
        purged: { removed: 3, status: 'completed' },
        after: ['IN_PROGRESS', 'CANCELLED', 'CANCELLED', 'CANCELLED'],
      },
    })
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
