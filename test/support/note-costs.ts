import { readFileSync } from 'node:fs'
import process from 'node:process'
import { afterAll } from 'vitest'

/** The costs of a test file, in ms. Without /proc, the processes that it started count as 0. */
export type Costs = {
  readonly startedAt: number
  readonly endedAt: number
  /** CPU time of the test process. */
  readonly ownMs: number
  /** CPU time of the processes that it started and that have ended. */
  readonly startedMs: number
}

declare module 'vitest' {
  interface TaskMeta {
    costs?: Costs
  }
}

// The kernel counts in hundredths of a second.
const TICK_MS = 10

/** CPU time of this process, and of the processes that it started and that have ended, in ms. */
function processorTime(): Pick<Costs, 'ownMs' | 'startedMs'> {
  const { user, system } = process.cpuUsage()
  return { ownMs: (user + system) / 1000, startedMs: startedTime() }
}

function startedTime(): number {
  try {
    // The name of the program, in parentheses, may contain spaces; see proc_pid_stat(5), fields 16 and 17.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return (Number(fields[13]) + Number(fields[14])) * TICK_MS
  } catch {
    return 0
  }
}

// Files without isolation share a process; each counts from the end of the previous file.
const shared = globalThis as { lastProcessorTime?: Pick<Costs, 'ownMs' | 'startedMs'> }
const startedAt = Date.now()

// biome-ignore lint/correctness/noEmptyPattern: Vitest allows no other form of a first argument that is not used
afterAll(({}, file) => {
  const before = shared.lastProcessorTime ?? { ownMs: 0, startedMs: 0 }
  const now = processorTime()
  shared.lastProcessorTime = now
  file.meta.costs = {
    startedAt,
    endedAt: Date.now(),
    ownMs: now.ownMs - before.ownMs,
    startedMs: now.startedMs - before.startedMs,
  }
})
