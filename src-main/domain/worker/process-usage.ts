import type { WorkerUsage } from '../../contract/endpoint.ts'

/** A process as the system tells of it. */
export type ProcessTimes = {
  /** The process group that it is of: a worker and all that it starts are one. */
  readonly group: number
  /** Processor time since its start, ms. */
  readonly cpuMs: number
}

/** What the processes of a worker have used up to a moment. */
export type GroupSample = {
  /** Steady ms. */
  readonly at: number
  readonly cpuMs: number
  readonly memoryBytes: number
}

// Linux counts processor time in steps of 10 ms wherever user programs look.
const MS_PER_TICK = 10
const KIB = 1024
// Places in /proc/PID/stat after the name, which stands in brackets and may hold anything. Source: proc(5).
const GROUP = 2
const USER_TICKS = 11
const SYSTEM_TICKS = 12

/** Reads /proc/PID/stat; undefined where it is none. */
export function readProcStat(text: string): ProcessTimes | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [group, user, system] = [GROUP, USER_TICKS, SYSTEM_TICKS].map((at) => Number(fields[at] ?? Number.NaN))
  if (group === undefined || user === undefined || system === undefined) return undefined
  return Number.isNaN(group + user + system) ? undefined : { group, cpuMs: (user + system) * MS_PER_TICK }
}

/** The memory that is in use, from /proc/PID/status; 0 where it says none, as of a process that ends. */
export function readResidentBytes(text: string): number {
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(text)?.[1] ?? 0) * KIB
}

/** Reads the lines of `ps -o pgid=,rss=,time=`, with times like `1-02:03:04`, `12:34` or `0:01.23`. */
export function readPsLines(text: string): readonly (ProcessTimes & { readonly memoryBytes: number })[] {
  return text.split('\n').flatMap((line) => {
    const [group, kib, time] = line.trim().split(/\s+/)
    if (group === undefined || kib === undefined || time === undefined) return []
    return [{ group: Number(group), memoryBytes: Number(kib) * KIB, cpuMs: psTimeMs(time) }]
  })
}

function psTimeMs(time: string): number {
  const [clock = '', days = '0'] = time.split('-').toReversed()
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  return Math.round((Number(days) * 86_400 + seconds) * 1000)
}

/**
 * What a worker's processes use: share of one CPU in percent since the sample before, and memory. Pages that processes
 * share are counted for each of them, as `ps` does.
 */
export function usageSince(before: GroupSample | undefined, now: GroupSample): WorkerUsage {
  const { memoryBytes } = now
  const passed = before === undefined ? 0 : now.at - before.at
  if (before === undefined || passed <= 0) return { memoryBytes }
  // A child that ended takes its time along.
  const used = Math.max(0, now.cpuMs - before.cpuMs)
  return { cpuPercent: Math.round((used / passed) * 1000) / 10, memoryBytes }
}
