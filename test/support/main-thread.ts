/**
 * How long the event loop is held, as CPU time of its thread: other work on a busy machine is not in it. A reader that
 * does not run in its thread is found by comparison with the reader itself.
 */

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

/** The least of the holds of some tries: a collection of garbage may be in one of them. */
export async function leastHold(work: (attempt: number) => Promise<unknown>, tries = 3): Promise<number> {
  const holds: number[] = []
  for (let attempt = 0; attempt < tries; attempt++) holds.push(await longestHold(() => work(attempt)))
  return Math.min(...holds)
}
