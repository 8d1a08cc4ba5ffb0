/**
 * Load tests. The service asks itself over loopback, as any client does, because a browser opens six connections and no
 * more. One runs at a time. What comes is counted in memory and stored at the end, and until then the test is running
 * for everybody; a service that is killed leaves a row that says so, which the next start ends.
 */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { LoadTest, LoadTestCreate } from '../../contract/requests.ts'
import { createTally, evaluateResponse } from '../../domain/requests/load-test.ts'
import type { RequestSender } from '../ports/requests.ts'
import type { Endpoint, Storage } from '../ports/storage.ts'
import type { Clock, Log, NewId } from '../ports/system.ts'
import { createNotifier, type Notifier } from '../wait.ts'

/** The load tests of the service. */
export type LoadTests = {
  /** Notifies when the one that runs has come further, a few times a second, and when it has ended. */
  readonly notifier: Notifier
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

// How often whoever follows a test is notified, ms; source: ours. A histogram that moves more often is not read.
const NOTIFY_EVERY_MS = 200
// Without news the duration of the test is reported all the same, ms.
const BEAT_MS = 1000
const LOST = 'the service stopped before it ended'

/** Makes them; none runs. */
export function createLoadTests(
  deps: LoadTestDeps & { readonly storage: Pick<Storage, 'write' | 'loadTests' | 'endpoints'> },
): LoadTests {
  const { storage, clock, log } = deps
  const notifier = createNotifier(clock)
  let running: Running | undefined
  let closed = false

  function begin(endpoint: Endpoint, plan: LoadTestCreate): Running {
    let cancelNews: (() => void) | undefined
    let cancelBeat = () => {}
    const notifySoon = () => {
      cancelNews ??= clock.after(NOTIFY_EVERY_MS, () => {
        cancelNews = undefined
        notifier.notify()
      })
    }
    const beat = () => {
      cancelBeat = clock.after(BEAT_MS, () => {
        notifier.notify()
        beat()
      })
    }
    beat()
    const test = runLoadTest(deps, endpoint, plan, notifySoon)
    const stored = test.sent
      .then(() => storage.write(() => storage.loadTests.end(test.read())))
      .catch((error) => log.error('load test not stored', { loadTestId: test.id, error }))
      .then(() => {
        cancelNews?.()
        cancelBeat()
        running = undefined
        notifier.notify()
      })
    return { ...test, stored }
  }

  // One that runs is read where it is counted; a row that says so of another one was left by an error.
  function asItIs(row: LoadTest): LoadTest {
    if (running?.id === row.id) return { ...running.read(), state: 'running' }
    return row.state === 'running' ? { ...row, state: 'stopped', reason: LOST } : row
  }

  return {
    notifier,
    async start(endpoint, plan) {
      if (closed) throw new AppError('STOPPING')
      if (running !== undefined) throw new AppError('LOAD_TEST_RUNNING', { endpointId: running.endpointId })
      const started = begin(endpoint, plan)
      running = started
      const row: LoadTest = { ...started.read(), state: 'running' }
      try {
        await storage.write(() => {
          storage.loadTests.insert(row)
          storage.loadTests.trim({ endpointId: endpoint.id, keep: limit('loadTestsKept') })
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

/** What a load test needs. */
type LoadTestDeps = {
  readonly storage: Pick<Storage, 'endpoints'>
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly send: RequestSender
  /** Address of the service, and the key of the account as it is now. */
  readonly url: () => string
  readonly accountKey: () => string
}

/** A load test that sends its requests. */
type RunningLoadTest = {
  readonly id: string
  readonly endpointId: string
  /** What has come so far; once all is sent, how it ended. */
  readonly read: () => LoadTest
  /** Sends nothing further. Whatever comes after the last answer changes nothing. */
  readonly stop: (reason: string) => void
  /** Settles when all was sent and answered, or after a stop. Never rejects. */
  readonly sent: Promise<void>
}

/** Begins with a load test. @param onResponse called after each response that was counted */
function runLoadTest(
  deps: LoadTestDeps,
  { id: endpointId }: Pick<Endpoint, 'id'>,
  { body, ...plan }: LoadTestCreate,
  onResponse: () => void,
): RunningLoadTest {
  const { storage, clock, newId, log } = deps
  const since = clock.steady()
  const startedAt = clock.now()
  const id = newId.uuid()
  const tally = createTally()
  const abort = new AbortController()
  let reason: string | undefined
  let elapsedMs: number | undefined

  const stop = (why: string) => {
    if (elapsedMs !== undefined || abort.signal.aborted) return
    reason = why
    abort.abort()
  }

  async function sendAll(): Promise<void> {
    let left = plan.requests
    const sendSome = async () => {
      while (left > 0 && !abort.signal.aborted) {
        if (storage.endpoints.get(endpointId) === undefined) return stop('its endpoint was deleted')
        left -= 1
        const response = await deps.send({ ...targetOf(deps, endpointId, plan), body, signal: abort.signal })
        // What a stop has cut off is no response.
        if (abort.signal.aborted) return
        tally.add(evaluateResponse(plan.operation, response))
        onResponse()
      }
    }
    await Promise.all(Array.from({ length: Math.min(plan.concurrency, plan.requests) }, sendSome))
  }

  const sent = sendAll()
    .catch((error) => {
      log.error('load test failed', { loadTestId: id, error })
      stop('the service could not continue it; see its log')
    })
    .then(() => {
      elapsedMs = clock.steady() - since
    })

  return {
    id,
    endpointId,
    read: () => ({
      id,
      endpointId,
      state: elapsedMs === undefined ? 'running' : reason === undefined ? 'completed' : 'stopped',
      ...(reason === undefined ? {} : { reason }),
      plan,
      startedAt,
      result: tally.result(elapsedMs ?? clock.steady() - since),
    }),
    stop,
    sent,
  }
}

type Plan = Omit<LoadTestCreate, 'body'>

function targetOf({ url, accountKey }: Pick<LoadTestDeps, 'url' | 'accountKey'>, endpointId: string, plan: Plan) {
  const { operation, method = 'GET', path = '/' } = plan
  return operation === 'request'
    ? { url: url(), target: `/lb/${endpointId}${path}`, method, key: accountKey() }
    : { url: url(), target: `/v2/${endpointId}/${operation}`, method: 'POST', key: accountKey() }
}
