/**
 * Due times of schedules. The library handles daylight saving: a skipped time comes as soon as possible, a repeated one
 * comes once.
 */
import { Cron } from 'croner'
import type { ScheduleTiming } from '../../contract/schedules.ts'

export type Timing = ScheduleTiming & {
  readonly createdAt: number
}

export type TimingProblem = { readonly field: 'cron' | 'timeZone'; readonly why: string }

/**
 * @param now wall-clock ms
 * @returns undefined if there is a next time
 */
export function timingProblem(timing: ScheduleTiming, now: number): TimingProblem | undefined {
  if (timing.timeZone !== undefined && !isTimeZone(timing.timeZone))
    return { field: 'timeZone', why: 'is not a time zone. Give a name like Europe/Berlin, or UTC' }
  if (timing.everyMs !== undefined)
    return timing.timeZone === undefined
      ? undefined
      : { field: 'timeZone', why: 'needs cron: an interval has no time zone' }
  try {
    if (nextTime({ ...timing, createdAt: now }, now) !== undefined) return undefined
  } catch (error) {
    return { field: 'cron', why: `cannot be read: ${reasonIn(error as Error)}. Like "0 3 * * *": each day at 3:00` }
  }
  return { field: 'cron', why: 'has no future times' }
}

const reasonIn = ({ message }: Error) => message.replace(/^\w+: /, '').replace(/\.$/, '')

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/**
 * Returns wall-clock ms; undefined: no next time.
 * @throws Error for an invalid pattern
 */
export function nextTime(timing: Timing, after: number): number | undefined {
  return timesAfter(timing, after, 1)[0]
}

export function timesAfter(
  { cron, everyMs, timeZone, createdAt }: Timing,
  after: number,
  most: number,
): readonly number[] {
  if (everyMs !== undefined) {
    const passed = Math.max(0, Math.floor((after - createdAt) / everyMs))
    return Array.from({ length: most }, (_, n) => createdAt + (passed + 1 + n) * everyMs)
  }
  const pattern = new Cron(cron ?? '', { paused: true, ...(timeZone === undefined ? {} : { timezone: timeZone }) })
  return pattern.nextRuns(most, new Date(after)).map((date) => date.getTime())
}

export type DueTimes = {
  readonly runs: number | undefined
  readonly missed: { readonly first: number; readonly count: number } | undefined
  readonly next: number | undefined
}

/**
 * The last due time runs within `graceMs` or if missed times are made up; others are missed.
 * @param most maximum count
 */
export function dueTimes(
  timing: Timing & { readonly missed: 'skip' | 'run' },
  {
    dueAt,
    now,
    graceMs,
    most,
  }: { readonly dueAt: number; readonly now: number; readonly graceMs: number; readonly most: number },
): DueTimes {
  const passed = [dueAt, ...timesAfter(timing, dueAt, most)].filter((time) => time <= now)
  const recent =
    passed.length > most ? timesAfter(timing, now - graceMs - 1, most).filter((time) => time <= now) : passed
  const last = recent.at(-1) ?? passed.at(-1)
  const isRun = last !== undefined && (now - last <= graceMs || timing.missed === 'run')
  const count = Math.min(most, isRun ? passed.length - 1 : passed.length)
  return {
    runs: isRun ? last : undefined,
    missed: count === 0 ? undefined : { first: dueAt, count },
    next: nextTime(timing, now),
  }
}
