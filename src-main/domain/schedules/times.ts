/**
 * When a schedule is due. Patterns are read by a library, as summer time makes days of 23 and 25 hours: a time that such
 * a day lacks comes as soon as there is one, a time that it has twice comes once. Pure: every moment is an argument.
 */
import { Cron } from 'croner'
import type { ScheduleTiming } from '../../contract/schedules.ts'

/** When a schedule is due, and from when its intervals are counted. */
export type Timing = ScheduleTiming & {
  /** Wall ms. */
  readonly createdAt: number
}

/** A field that cannot be read, and why. */
export type TimingProblem = { readonly field: 'cron' | 'timeZone'; readonly why: string }

/**
 * Says what is wrong with a timing; undefined: it has a next time.
 * @param now wall ms
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

// The library says where it was: `CronPattern: invalid ...`.
const reasonIn = ({ message }: Error) => message.replace(/^\w+: /, '').replace(/\.$/, '')

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** The first time after a moment, wall ms; undefined: there is none. @throws Error for a pattern that cannot be read */
export function nextTime(timing: Timing, after: number): number | undefined {
  return timesAfter(timing, after, 1)[0]
}

/** The next times after a moment, at most so many. @throws Error for a pattern that cannot be read */
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

/** What is due at a moment. */
export type DueTimes = {
  /** For which a job is queued; undefined: for none. */
  readonly runs: number | undefined
  /** Those that passed without one; the first of them, and how many up to `most`. */
  readonly missed: { readonly first: number; readonly count: number } | undefined
  /** The time after the moment; undefined: there is none. */
  readonly next: number | undefined
}

/**
 * Decides what becomes of the times from `dueAt` to `now`: the last of them runs if it is no older than `graceMs`, or if
 * missed times are made up for; all others were missed.
 * @param most counts no further
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
  // Where more have passed than are counted, the last is among those just before now.
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
