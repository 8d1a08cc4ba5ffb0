import type { ServerResponse } from 'node:http'
import { expect, test, vi } from 'vitest'
import { runCli } from '../../../../src-main/app/cli/run-cli.ts'
import type { LoadTest } from '../../../../src-main/contract/requests.ts'
import { NOW, sendEvents, setupCli, startStandIn, surroundingsOf, temporaryFolder } from './support.ts'

const PATH = '/api/endpoints/hello/load-tests'

function loadTest(given: Partial<LoadTest> & { readonly failed?: number } = {}): LoadTest {
  const { failed = 0, ...rest } = given
  const errors = failed === 0 ? [] : [{ text: 'Job FAILED: no face', count: failed }]
  return {
    ...{ id: 't1', endpointId: 'hello', state: 'completed', startedAt: NOW },
    plan: { operation: 'runsync', requests: 20, concurrency: 4 },
    result: { elapsedMs: 1000, done: 20, failed, statuses: { 200: 20 }, errors },
    ...rest,
  }
}

const STOPPED = loadTest({ state: 'stopped', reason: 'stopped by a person' })

const health = (inQueue: number) => ({
  jobs: { completed: 0, failed: 0, inProgress: 1, inQueue, retried: 0 },
  workers: { idle: 0, initializing: 0, ready: 0, running: 1, throttled: 0, unhealthy: 0 },
})

async function setupRunning() {
  const streams: ServerResponse[] = []
  const stops: ServerResponse[] = []
  const service = await startStandIn({
    [`POST ${PATH}`]: loadTest({ state: 'running' }),
    [`GET ${PATH}/t1`]: (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      streams.push(response)
    },
    [`POST ${PATH}/t1/stop`]: (response: ServerResponse) => void stops.push(response),
    'GET /v2/hello/health': health(3),
  })
  const env = { SVC_BASE_URL: service.url, SVC_API_KEY: 'account-key' }
  const { surroundings, written, exits, signal, wait } = surroundingsOf(temporaryFolder(), { env })
  const ended = runCli(['load-test', 'hello', '{}'], surroundings)
  await vi.waitFor(() => expect(streams).toHaveLength(1))
  signal('SIGINT')
  await vi.waitFor(() => expect(stops).toHaveLength(1))
  const answer = () => stops[0]?.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(STOPPED))
  return { ended, written, exits, signal, wait, answer, streams, stops }
}

test('Ctrl+C stops the load test and prints the results so far', async () => {
  const { ended, written, exits, answer } = await setupRunning()
  answer()
  await ended
  expect(written.stderr).toContain('stopping the load test of hello')
  expect(written.stdout).toMatch(/state +stopped: stopped by a person\n/)
  expect(written.stdout).toMatch(/requests +20 of 20 in 1\.0 s, 0 failed\n/)
  expect(written.stderr).toContain('The queue of hello still has 3 jobs; `drydock purge hello` cancels all of them.\n')
  expect(exits).toEqual([130])
})

test('a second Ctrl+C leaves at once, and the same one delivered again does not', async () => {
  const { ended, exits, signal, wait, answer } = await setupRunning()
  signal('SIGINT')
  expect(exits).toEqual([])
  wait(1000)
  signal('SIGINT')
  expect(exits).toEqual([130])
  answer()
  await ended
})

test('Ctrl+C leaves at once if the service does not answer', async () => {
  const { ended, written, streams, stops } = await setupRunning()
  stops[0]?.destroy()
  expect(await ended).toBe(3)
  expect(written.stderr).toContain('the connection was lost.')
  await vi.waitFor(() => expect(streams[0]?.destroyed).toBe(true))
})

const ended = (shown: LoadTest) =>
  setupCli({
    [`POST ${PATH}`]: loadTest({ state: 'running' }),
    [`GET ${PATH}/t1`]: (response: ServerResponse, { url }: { readonly url?: string | undefined }) =>
      url?.includes('follow') === true
        ? sendEvents(response, [{ event: 'load-test', data: shown }])
        : response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(shown)),
  })

test('jobs that failed are told apart from the status of the answers, and give exit code 4', async () => {
  const { run } = await ended(loadTest({ failed: 20 }))
  const { exitCode, stdout, stderr } = await run(['load-test', 'hello', '{}'])
  expect({ exitCode, stderr }).toEqual({ exitCode: 4, stderr: 'drydock: 20 of 20 requests failed.\n' })
  expect(stdout).toMatch(/jobs +0 completed, 20 not\n/)
  expect(stdout).toMatch(/HTTP +20 × 200\n/)
  expect(stdout).toContain('20 × Job FAILED: no face')
})

test('one that another command stopped is no success', async () => {
  const { run } = await ended(STOPPED)
  expect(await run(['load-test', 'hello', '{}'])).toMatchObject({
    exitCode: 1,
    stderr: 'drydock: The load test was stopped: stopped by a person.\n',
  })
})

test('load-test stop stops the running one of an endpoint, and says when none is running', async () => {
  const running = await setupCli({
    [`GET ${PATH}`]: { loadTests: [loadTest({ state: 'running' }), loadTest({ id: 't0' })] },
    [`POST ${PATH}/t1/stop`]: STOPPED,
    'GET /v2/hello/health': health(0),
  })
  const { exitCode, stdout, stderr } = await running.run(['load-test', 'stop', 'hello'])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(stdout).toMatch(/state +stopped/)
  const none = await setupCli({ [`GET ${PATH}`]: { loadTests: [loadTest()] } })
  expect(await none.run(['load-test', 'stop', 'hello'])).toMatchObject({
    exitCode: 6,
    stderr: 'drydock: No load test of endpoint hello is running.\n',
  })
})
