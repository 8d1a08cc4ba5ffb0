import { fail, report } from './logs.ts'

// First and longest ms between attempts. Source: ours.
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5000

export function createBackoff() {
  let pauseMs = FIRST_PAUSE_MS
  return {
    /** ms to wait: between half and all of a pause that doubles each time. */
    nextMs(): number {
      const now = pauseMs
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
      return now * (0.5 + Math.random() / 2)
    },
    reset() {
      pauseMs = FIRST_PAUSE_MS
    },
  }
}

export type ServiceWatch = ReturnType<typeof createServiceWatch>

export function createServiceWatch(awayLimitMs: number) {
  const failing = new Set<string>()
  let awaySince = 0
  return {
    answered(channel: string) {
      if (failing.delete(channel) && failing.size === 0) report('service is back', 'INFO')
    },
    failed(channel: string, reason: string) {
      const now = performance.now()
      if (failing.size === 0) {
        awaySince = now
        report(`service is away (${channel}: ${reason}); trying again`, 'WARN')
      }
      failing.add(channel)
      const awayMs = now - awaySince
      if (awayMs >= awayLimitMs)
        fail(`svc-worker: the service has not been reachable for ${Math.round(awayMs / 1000)} s; this worker stops`)
    },
  }
}
