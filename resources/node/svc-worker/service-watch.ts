/** Knows whether the service is there. Two log lines per outage, however often the channels knock. */
import { fail } from './exit.ts'
import { report } from './logs.ts'

// Milliseconds between two attempts while the service is away: the first and the longest. source: ours
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5000

/** Growing pauses with jitter, so that many workers do not come back in the same instant. */
export type Backoff = {
  /** Milliseconds to wait now: between half and all of a pause that doubles each time. */
  readonly nextMs: () => number
  /** Call after success. */
  readonly reset: () => void
}

/** Makes a back-off: pauses that grow until something works. */
export function createBackoff(): Backoff {
  let pauseMs = FIRST_PAUSE_MS
  return {
    nextMs() {
      const now = pauseMs
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
      return now * (0.5 + Math.random() / 2)
    },
    reset() {
      pauseMs = FIRST_PAUSE_MS
    },
  }
}

/** Hears from each channel; the service is away while any channel's last word was a failure. */
export type ServiceWatch = {
  readonly answered: (channel: string) => void
  /** Ends the process when the service has been away too long. */
  readonly failed: (channel: string, reason: string) => void
}

/**
 * Makes a watch over the service: whether it answers, and since when not. @param awayLimitMs how long a worker waits
 * for its service
 */
export function createServiceWatch(awayLimitMs: number): ServiceWatch {
  const failing = new Set<string>()
  let awaySince = 0
  return {
    answered(channel) {
      if (failing.delete(channel) && failing.size === 0) report('service is back', 'INFO')
    },
    failed(channel, reason) {
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
