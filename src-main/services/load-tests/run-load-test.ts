import type { LoadTest, LoadTestCreate } from '../../contract/load-tests.ts'
import { judgeAnswer } from '../../domain/load-test/judge-answer.ts'
import { createTally } from '../../domain/load-test/tally.ts'
import type { RequestSender } from '../ports/requests.ts'
import type { Clock, Endpoint, Log, NewId, Storage } from '../ports.ts'

/** What a load test needs. */
export type LoadTestDeps = {
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
export type RunningLoadTest = {
  readonly id: string
  readonly endpointId: string
  /** What has come so far; once all is sent, how it ended. */
  readonly read: () => LoadTest
  /** Sends nothing further. Whatever comes after the last answer changes nothing. */
  readonly stop: (reason: string) => void
  /** Settles when all was sent and answered, or after a stop. Never rejects. */
  readonly sent: Promise<void>
}

/** Begins with a load test. @param onAnswer called after each answer that was counted */
export function runLoadTest(
  deps: LoadTestDeps,
  { id: endpointId }: Pick<Endpoint, 'id'>,
  { body, ...plan }: LoadTestCreate,
  onAnswer: () => void,
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
        const answer = await deps.send({ ...targetOf(deps, endpointId, plan), body, signal: abort.signal })
        // What a stop has cut off is no answer.
        if (abort.signal.aborted) return
        tally.add(judgeAnswer(plan.operation, answer))
        onAnswer()
      }
    }
    await Promise.all(Array.from({ length: Math.min(plan.concurrency, plan.requests) }, sendSome))
  }

  const sent = sendAll()
    .catch((error) => {
      log.error('load test failed', { loadTestId: id, error })
      stop('the service could not go on with it; see its log')
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
