import { setTimeout as pause } from 'node:timers/promises'
import { type Ask, reasonOf } from './http.ts'
import type { RunningJobs } from './jobs.ts'
import { createBackoff, type ServiceWatch } from './service-watch.ts'
import { type Settings, stopTarget } from './settings.ts'
import { POLL_TIMEOUT_MS } from './take.ts'

// Minimum ms between two empty answers, so that a service that does not hold requests cannot make the worker spin.
const SHORTEST_HOLD_MS = 1000

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
