import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { ServiceHost } from '../core.ts'

// Sampling interval of event loop delay, ms; source: ours. 50 wake-ups a second are expensive when idle, so sampling
// stops without scrapes.
const RESOLUTION_MS = 20
const WATCHED_MS = 5 * 60_000

const NANOSECONDS = 1e9
const MICROSECONDS = 1e6

export function createProcessReader(): ServiceHost['readProcess'] {
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

// Measures the time between wake-ups, which includes the resolution.
function delayOf(nanoseconds: number | undefined): number {
  if (nanoseconds === undefined || !Number.isFinite(nanoseconds)) return 0
  return Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000)
}
