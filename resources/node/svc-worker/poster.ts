/** Retries until the service has the body, since losing a result is a worker's worst failure. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Ask, reasonOf } from './http.ts'
import { report } from './logs.ts'
import { createBackoff } from './service-watch.ts'

// ms of retries for a result or chunk. Source: ours; a service restart takes less.
const KEEP_TRYING_MS = 120_000
// ms of silence before a post fails. Source: ours; storing 20 MiB takes far less.
const POST_TIMEOUT_MS = 60_000

/** Resolves to true on success. Retries on 5xx, 429 and broken connections, not on other 4xx. */
export type Post = (target: string, body: string, keepTryingMs?: number) => Promise<boolean>

export function createPost(ask: Ask): Post {
  async function tryOnce(target: string, body: string) {
    try {
      const { status } = await ask({ target, body, timeoutMs: POST_TIMEOUT_MS })
      if (status >= 200 && status < 300) return { problem: undefined, isFinal: true }
      return { problem: `the service answered ${status}`, isFinal: status < 500 && status !== 429 }
    } catch (error) {
      return { problem: reasonOf(error), isFinal: false }
    }
  }

  return async (target, body, keepTryingMs = KEEP_TRYING_MS) => {
    const backoff = createBackoff()
    const giveUpAt = performance.now() + keepTryingMs
    for (;;) {
      const { problem, isFinal } = await tryOnce(target, body)
      if (problem === undefined) return true
      const pauseMs = backoff.nextMs()
      if (isFinal || performance.now() + pauseMs >= giveUpAt) {
        report(`post to ${target.replace(/\?.*/, '')} given up: ${problem}`, 'ERROR')
        return false
      }
      await pause(pauseMs)
    }
  }
}
