/**
 * How long the event loop is held, as CPU time of its thread: other work on a busy machine is not in it. A reader that
 * does not run in its thread is found by comparison with the reader itself.
 */
import { expect } from 'vitest'

/** CPU time of this thread, ms. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** CPU time of some work in this thread, ms. */
export function cpuOf(work: () => unknown): number {
  const before = cpuMs()
  work()
  return cpuMs() - before
}

/** CPU time of this thread while something goes on, ms. */
export async function cpuWhile(work: () => Promise<unknown>): Promise<number> {
  const before = cpuMs()
  await work()
  return cpuMs() - before
}

/** The most that this thread works between two looks of a timer while something goes on, ms. */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let last = cpuMs()
  const look = () => {
    const now = cpuMs()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, 1)
  try {
    await work()
  } finally {
    look()
    clearInterval(timer)
  }
  return longest
}

/** Number of tries, because a garbage collection may make one of them slow. */
export const HOLD_TRIES = 5

/**
 * Expects that the thread is held for at most `limitMs` in one of the tries, and ends with that one.
 * @param work makes no bodies of requests: that would count too
 */
export async function expectShortHold(limitMs: number, work: (attempt: number) => Promise<unknown>): Promise<void> {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < HOLD_TRIES && least > limitMs; attempt += 1)
    least = Math.min(least, await longestHold(() => work(attempt)))
  expect(least, 'ms').toBeLessThanOrEqual(limitMs)
}
