import { durationInWords } from '../duration-in-words.ts'
import { inSeconds, remainingSeconds } from './in-seconds.ts'

/** How a worker of an endpoint ended. Times are steady ms. Source: ours. */
export type WorkerExit = {
  readonly at: number
  readonly livedMs: number
  /** Whether it ever asked for a job. */
  readonly becameReady: boolean
  readonly jobsDone: number
  /** Whether we told it to leave, for no failure of its own. */
  readonly ordered: boolean
  /** Its last words; see last-words.ts. */
  readonly reason: string
  /** Exit code of its process, if it has one. */
  readonly code?: number | undefined
}

/** The verdict on an endpoint whose workers end by themselves. Source: ours. */
export type CrashLoop = {
  /** No worker starts before this time, steady ms; it may be over, then the next try is on. */
  readonly backOffUntil: number
  /** What a person reads. */
  readonly reason: string
  /** How many workers crashed in a row. */
  readonly count: number
  /** When the first of them started and the last one ended, steady ms. */
  readonly since: number
  readonly lastAt: number
  /** Last words of the last one. */
  readonly lastWords: string
  /** Whether the next try will fail as well, as far as anybody can tell: somebody has to change something. */
  readonly needsChange: boolean
}

/** A ready worker that ends before this, ms, and did no job has crashed; source: ours, because imports of large libraries take that long. */
const SHORT_LIFE_MS = 20_000

/** Pause after the first crash, ms; each further one doubles it. Source: ours, because a typing error is mended in seconds. */
const FIRST_DELAY_MS = 1000

/** Longest pause, ms; source: ours, because a person who has mended the cause waits for it. */
const MAX_DELAY_MS = 60_000

/** A crash this long before the next start, ms, is another story; source: ours: ten times the longest pause. */
const FORGET_MS = 10 * MAX_DELAY_MS

/** So many crashes with the same last words are no accident; source: ours: the third one comes about 3 s after the first. */
const SAME_FAILURES = 3

/** Exit codes of a shell that cannot run the program: not executable, not found. Source: POSIX, Shell Command Language 2.8.2. */
const NO_PROGRAM_CODES: readonly (number | undefined)[] = [126, 127]

const didWell = (exit: WorkerExit) => exit.jobsDone > 0 || (exit.becameReady && exit.livedMs >= SHORT_LIFE_MS)

const isCrash = (exit: WorkerExit) => !exit.becameReady || !didWell(exit)

/** The crashes since the last worker that did its duty, newest first. Exits on our order tell nothing about the program. */
function latestCrashes(exits: readonly WorkerExit[], now: number): readonly WorkerExit[] {
  const crashes: WorkerExit[] = []
  // A program that never got ready will not do so by itself, however long ago it was tried.
  let nextStartedAt = exits.findLast(({ ordered }) => !ordered)?.becameReady === false ? Number.NEGATIVE_INFINITY : now
  for (const exit of exits.toReversed()) {
    if (exit.ordered) {
      if (didWell(exit)) break
      continue
    }
    if (!isCrash(exit) || nextStartedAt - exit.at > FORGET_MS) break
    crashes.push(exit)
    nextStartedAt = exit.at - exit.livedMs
  }
  return crashes
}

/**
 * Judges whether the workers of an endpoint crash, and until when the next start has to wait: 1 s after the first crash,
 * then 2 s, 4 s ... 60 s. Source: ours, because a start that fails at once would otherwise be repeated without end.
 * @param exits - how its recent workers ended, newest last; a few dozen are enough
 * @param now - steady ms
 * @returns undefined if its last worker did not crash
 */
export function judgeCrashLoop(exits: readonly WorkerExit[], now: number): CrashLoop | undefined {
  const crashes = latestCrashes(exits, now)
  const last = crashes[0]
  const first = crashes.at(-1)
  if (last === undefined || first === undefined) return undefined
  const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (crashes.length - 1))
  const happened =
    crashes.length === 1
      ? `exited ${inSeconds(last.livedMs)} after its start`
      : `exited ${crashes.length} times within ${spanOf(last.at - first.at + first.livedMs)}`
  return {
    backOffUntil: last.at + delayMs,
    reason: `worker ${happened}: ${last.reason}`,
    count: crashes.length,
    since: first.at - first.livedMs,
    lastAt: last.at,
    lastWords: last.reason,
    needsChange: willFailAgain(crashes),
  }
}

/** Whether the latest crashes, newest first, leave no hope: the program is not there, or it fails at its start as before. */
function willFailAgain(crashes: readonly WorkerExit[]): boolean {
  const latest = crashes.slice(0, SAME_FAILURES)
  if (latest.some(({ becameReady }) => becameReady)) return false
  if (NO_PROGRAM_CODES.includes(latest[0]?.code)) return true
  return latest.length === SAME_FAILURES && new Set(latest.map(({ reason }) => withoutNumbers(reason))).size === 1
}

// Ports, process ids and addresses in memory differ from try to try.
const withoutNumbers = (words: string) => words.replace(/\d[\da-fx]*/gi, '0')

// From here on minutes are read at a glance and seconds are not, ms; source: ours.
const MINUTES_FROM_MS = 120_000

function spanOf(ms: number): string {
  return ms < MINUTES_FROM_MS ? remainingSeconds(ms) : durationInWords(Math.ceil(ms / 60_000) * 60_000)
}
