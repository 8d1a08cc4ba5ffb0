import { setTimeout as pause } from 'node:timers/promises'
import type { Job } from './handler.ts'
import { type Answer, type Ask, reasonOf } from './http.ts'
import type { RunningJobs } from './jobs.ts'
import { elementsOf, membersOf } from './json-spans.ts'
import { report } from './logs.ts'
import { createBackoff, type ServiceWatch } from './service-watch.ts'
import { type Settings, stopTarget, takeTarget } from './settings.ts'

// ms that a held request may be silent. Source: the public SDK's poll timeout; the service holds for 20 s.
const POLL_TIMEOUT_MS = 90_000

// ms to wait after a 429 without Retry-After. Source: docs/spec/worker-protocol.md, 2.
const TOO_MANY_PAUSE_MS = 5000
// Minimum ms between two empty answers, so that a service that does not hold requests cannot make the worker spin.
const SHORTEST_HOLD_MS = 1000

export function createJobSource(settings: Settings, ask: Ask, watch: ServiceWatch) {
  const closing = new AbortController()
  const { signal } = closing
  const backoff = createBackoff()

  async function pauseFor(ms: number): Promise<void> {
    await pause(ms, undefined, { signal }).catch(() => undefined)
  }

  async function pauseAfterFailure(reason: string): Promise<void> {
    watch.failed('job-take', reason)
    await pauseFor(backoff.nextMs())
  }

  return {
    isClosed: (): boolean => signal.aborted,
    close: () => closing.abort(),
    /** Makes one held request for at most `free` jobs; none means ask again. Pauses when the service asks. */
    async take(free: number, isBusy: boolean): Promise<readonly Job[]> {
      let answer: Answer
      try {
        answer = await ask({ target: takeTarget(settings, free, isBusy), timeoutMs: POLL_TIMEOUT_MS, signal })
      } catch (error) {
        if (!signal.aborted) await pauseAfterFailure(reasonOf(error))
        return []
      }
      if (answer.status !== 429 && answer.status !== 200 && answer.status !== 204) {
        await pauseAfterFailure(`answer ${answer.status}`)
        return []
      }
      watch.answered('job-take')
      if (answer.status === 429) {
        await pauseFor(pauseAfter429Ms(answer))
        return []
      }
      backoff.reset()
      return jobsIn(answer.body)
    },
  }
}

function pauseAfter429Ms({ headers }: Answer): number {
  const asked = headers['retry-after'] ?? ''
  return /^\d{1,6}$/.test(asked) ? Number(asked) * 1000 : TOO_MANY_PAUSE_MS
}

function jobsIn(body: string): readonly Job[] {
  if (body === '') return []
  try {
    const found: unknown = JSON.parse(body)
    const texts = Array.isArray(found) ? elementsOf(body) : [body]
    return (Array.isArray(found) ? found : [found]).flatMap((job, at) => toJob(job, texts[at] ?? '') ?? [])
  } catch {
    report('the service sent a job that is not JSON; ignored', 'ERROR')
    return []
  }
}

function toJob(job: unknown, text: string): Job | undefined {
  if (typeof job === 'object' && job !== null && 'id' in job && typeof job.id === 'string' && 'input' in job)
    return { id: job.id, input: job.input, inputText: membersOf(text).get('input') ?? 'null' }
  report('the service sent a job without id or input; ignored', 'ERROR')
  return undefined
}

/** Cancels the named jobs until the process ends, also while draining. */
export async function listenForStops(
  settings: Settings,
  { ask, jobs, watch }: { readonly ask: Ask; readonly jobs: RunningJobs; readonly watch: ServiceWatch },
): Promise<never> {
  const backoff = createBackoff()

  async function askOnce(): Promise<readonly string[] | undefined> {
    try {
      const { status, body } = await ask({ target: stopTarget(settings), timeoutMs: POLL_TIMEOUT_MS })
      watch.answered('job-stop')
      return status < 300 ? namedJobs(body) : undefined
    } catch (error) {
      watch.failed('job-stop', reasonOf(error))
      return undefined
    }
  }

  for (;;) {
    const askedAt = performance.now()
    const jobIds = await askOnce()
    if (jobIds === undefined) {
      await pause(backoff.nextMs())
      continue
    }
    backoff.reset()
    for (const jobId of jobIds) jobs.cancel(jobId)
    if (jobIds.length === 0) await pause(Math.max(0, SHORTEST_HOLD_MS - (performance.now() - askedAt)))
  }
}

function namedJobs(body: string): readonly string[] {
  if (body === '') return []
  try {
    const answer: unknown = JSON.parse(body)
    const named =
      typeof answer === 'object' && answer !== null && 'jobsToStop' in answer ? answer.jobsToStop : undefined
    return Array.isArray(named) ? named.filter((id) => typeof id === 'string') : []
  } catch {
    return []
  }
}
