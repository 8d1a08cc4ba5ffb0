/** What the process of the service takes, for those who watch it. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Host } from '../core.ts'

// How often the delay of the event loop is measured while somebody scrapes, ms; source: ours, 50 small wake-ups a second
// would cost an idle service more than all else, so it ends when nobody has asked for a while.
const RESOLUTION_MS = 20
const WATCHED_MS = 5 * 60_000

const NANOSECONDS = 1e9
const MICROSECONDS = 1e6

/** Makes the reader; until the first call nothing is measured. */
export function createProcessReader(): Host['readProcess'] {
  let delays: ReturnType<typeof monitorEventLoopDelay> | undefined
  let end: NodeJS.Timeout | undefined

  function watch(): void {
    if (delays === undefined) {
      delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
      delays.enable()
    }
    clearTimeout(end)
    end = setTimeout(() => {
      delays?.disable()
      delays = undefined
    }, WATCHED_MS)
    end.unref()
  }

  return () => {
    const { user, system } = process.cpuUsage()
    const loopDelay = { p99Seconds: delayOf(delays?.percentile(99)), maxSeconds: delayOf(delays?.max) }
    delays?.reset()
    watch()
    return {
      cpuSeconds: (user + system) / MICROSECONDS,
      residentBytes: process.memoryUsage.rss(),
      loopBusySeconds: performance.eventLoopUtilization().active / 1000,
      loopDelay,
    }
  }
}

// What is measured is the time from one wake-up to the next, of which the resolution is meant.
function delayOf(nanoseconds: number | undefined): number {
  if (nanoseconds === undefined || !Number.isFinite(nanoseconds)) return 0
  return Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000)
}
