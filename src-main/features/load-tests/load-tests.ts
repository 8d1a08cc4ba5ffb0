/**
 * Load tests over loopback, since browsers open only six connections. One at a time, counted in memory and stored at
 * the end; a killed service leaves a row that the next start ends.
 */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { LoadTest, LoadTestCreate } from '../../contract/requests.ts'
import type { Clock, Log, NewId } from '../../lib/clock.ts'
import { createNotifier } from '../../lib/wait.ts'
import type { Endpoint, Storage } from '../../storage/storage.ts'
import type { RequestSender } from './ports.ts'
import { createTally, evaluateResponse } from './rules.ts'

export type LoadTests = ReturnType<typeof createLoadTests>

type Running = ReturnType<typeof runLoadTest> & { readonly stored: Promise<void> }

// Interval of notifications, ms; source: ours, people do not read faster changes.
const NOTIFY_EVERY_MS = 200
// Interval without news, ms, so that the duration updates.
const BEAT_MS = 1000
const LOST = 'the service stopped before it ended'

export function createLoadTests(
  deps: LoadTestDeps & { readonly storage: Pick<Storage, 'write' | 'loadTests' | 'endpoints'> },
) {
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

  function asItIs(row: LoadTest): LoadTest {
    if (running?.id === row.id) return { ...running.read(), state: 'running' }
    return row.state === 'running' ? { ...row, state: 'stopped', reason: LOST } : row
  }

  return {
    notifier,
    async start(endpoint: Endpoint, plan: LoadTestCreate): Promise<LoadTest> {
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
    list: (endpointId: string): readonly LoadTest[] =>
      storage.loadTests.list(endpointId, limit('loadTestsKept')).map(asItIs),
    read(endpointId: string, id: string): LoadTest | undefined {
      const row = storage.loadTests.get(endpointId, id)
      return row === undefined ? undefined : asItIs(row)
    },
    async stop(id: string, reason: string) {
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

type LoadTestDeps = {
  readonly storage: Pick<Storage, 'endpoints'>
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly send: RequestSender
  readonly url: () => string
  readonly accountKey: () => string
}

function runLoadTest(
  deps: LoadTestDeps,
  { id: endpointId }: Pick<Endpoint, 'id'>,
  { body, ...plan }: LoadTestCreate,
  onResponse: () => void,
) {
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
    read: (): LoadTest => ({
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
