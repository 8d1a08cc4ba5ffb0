/**
 * Load tests. The service asks itself over loopback, as any client does, because a browser opens six connections and no
 * more. One runs at a time. What comes is counted in memory and stored at the end, and until then the test is running
 * for everybody; a service that is killed leaves a row that says so, which the next start ends.
 */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { LoadTest, LoadTestCreate } from '../../contract/load-tests.ts'
import { type Bell, createBell } from '../bell.ts'
import type { Endpoint, Storage } from '../ports.ts'
import { type LoadTestDeps, type RunningLoadTest, runLoadTest } from './run-load-test.ts'

/** The load tests of the service. */
export type LoadTests = {
  /** Rings when the one that runs has come further, a few times a second, and when it has ended. */
  readonly bell: Bell
  /** @throws AppError LOAD_TEST_RUNNING, STOPPING */
  readonly start: (endpoint: Endpoint, plan: LoadTestCreate) => Promise<LoadTest>
  /** Newest first. */
  readonly list: (endpointId: string) => readonly LoadTest[]
  readonly read: (endpointId: string, id: string) => LoadTest | undefined
  /** Sends nothing further, and waits until that is stored; one that has ended stays as it is. */
  readonly stop: (id: string, reason: string) => Promise<void>
  /** Ends what a killed service has left. */
  readonly begin: () => Promise<void>
  /** Stops the one that runs; none starts afterwards. */
  readonly close: () => Promise<void>
}

type Running = RunningLoadTest & { readonly stored: Promise<void> }

// How often whoever follows a test hears of it, ms; source: ours. A histogram that moves more often is not read.
const TELL_EVERY_MS = 200
// Without news it is told all the same how long the test takes, ms.
const BEAT_MS = 1000
const LOST = 'the service ended before it did'

/** Makes them; none runs. */
export function createLoadTests(
  deps: LoadTestDeps & { readonly storage: Pick<Storage, 'write' | 'loadTests' | 'endpoints'> },
): LoadTests {
  const { storage, clock, log } = deps
  const bell = createBell(clock)
  let running: Running | undefined
  let closed = false

  function begin(endpoint: Endpoint, plan: LoadTestCreate): Running {
    let cancelNews: (() => void) | undefined
    let cancelBeat = () => {}
    const tellSoon = () => {
      cancelNews ??= clock.after(TELL_EVERY_MS, () => {
        cancelNews = undefined
        bell.ring()
      })
    }
    const beat = () => {
      cancelBeat = clock.after(BEAT_MS, () => {
        bell.ring()
        beat()
      })
    }
    beat()
    const test = runLoadTest(deps, endpoint, plan, tellSoon)
    const stored = test.sent
      .then(() => storage.write(() => storage.loadTests.end(test.read())))
      .catch((error) => log.error('load test not stored', { loadTestId: test.id, error }))
      .then(() => {
        cancelNews?.()
        cancelBeat()
        running = undefined
        bell.ring()
      })
    return { ...test, stored }
  }

  // One that runs is read where it is counted; a row that says so of another one was left by a fault.
  function asItIs(row: LoadTest): LoadTest {
    if (running?.id === row.id) return { ...running.read(), state: 'running' }
    return row.state === 'running' ? { ...row, state: 'stopped', reason: LOST } : row
  }

  return {
    bell,
    async start(endpoint, plan) {
      if (closed) throw new AppError('STOPPING')
      if (running !== undefined) throw new AppError('LOAD_TEST_RUNNING', { endpointId: running.endpointId })
      const started = begin(endpoint, plan)
      running = started
      const row: LoadTest = { ...started.read(), state: 'running' }
      try {
        await storage.write(() => {
          storage.loadTests.insert(row)
          storage.loadTests.trim(endpoint.id, limit('loadTestsKept'))
        })
      } catch (error) {
        started.stop('it could not be stored')
        throw error
      }
      return row
    },
    list: (endpointId) => storage.loadTests.list(endpointId, limit('loadTestsKept')).map(asItIs),
    read(endpointId, id) {
      const row = storage.loadTests.get(endpointId, id)
      return row === undefined ? undefined : asItIs(row)
    },
    async stop(id, reason) {
      if (running?.id !== id) return
      running.stop(reason)
      await running.stored
    },
    async begin() {
      const left = await storage.write(() => storage.loadTests.endAll(LOST))
      if (left > 0) log.warn('a load test was cut off by the end of the service', { count: left })
    },
    async close() {
      closed = true
      running?.stop('the service stopped')
      await running?.stored
    },
  }
}
