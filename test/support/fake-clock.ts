import { setTimeout as pass } from 'node:timers/promises'
import type { TimeSource } from '../../src-main/lib/clock.ts'
import { PATIENCE_MS } from './patience.ts'

/**
 * Time that stands still until a test moves it. Work that is only queued (promises, setImmediate) goes on by itself.
 */
export type FakeClock = TimeSource & {
  /** Lets time pass timer by timer, with all that each of them sets off. */
  readonly advance: (ms: number) => Promise<void>
  /** Lets a long time pass at once, as for a busy machine: what is due is called once, late. */
  readonly leap: (ms: number) => Promise<void>
  /** Sets the wall clock; the monotonic one goes on. */
  readonly jumpWall: (ms: number) => void
  /**
   * Waits for a fact: lets queued work go on, and time pass up to `mostMs`, until `look` gives something that is
   * neither undefined, null nor false.
   */
  readonly until: <T>(look: () => T | false | Promise<T | false>, mostMs?: number) => Promise<NonNullable<T>>
}

type Timer = { readonly at: number; readonly order: number; readonly run: () => void }

/** Wall time at which every test begins, ms since the epoch. */
export const TEST_EPOCH = Date.UTC(2030, 0, 1)

// A write, its commit, the wake-up of who waited for it, and the write that follows take one turn each.
const TURNS_TO_SETTLE = 4
const MOST_MS = 2000
const LOOK_EVERY_MS = 5

function isFact<T>(seen: T | false): seen is NonNullable<T> {
  return seen !== undefined && seen !== null && seen !== false
}

/** Lets everything that is queued now run, and what that queues in turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS_TO_SETTLE; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** Makes a clock. */
export function createFakeClock(): FakeClock {
  const timers = new Set<Timer>()
  let monotonic = 1000
  let wall = TEST_EPOCH
  let order = 0

  function next(): Timer | undefined {
    let first: Timer | undefined
    for (const timer of timers) {
      if (first === undefined || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
        first = timer
    }
    return first
  }

  function moveTo(at: number): void {
    if (at <= monotonic) return
    wall += at - monotonic
    monotonic = at
  }

  function run(timer: Timer): void {
    timers.delete(timer)
    timer.run()
  }

  async function runUpTo(end: number): Promise<void> {
    await settle()
    for (let timer = next(); timer !== undefined && timer.at <= end; timer = next()) {
      moveTo(timer.at)
      run(timer)
      await settle()
    }
  }

  return {
    wall: () => wall,
    monotonic: () => monotonic,
    after(ms, callback) {
      order += 1
      const timer = { at: monotonic + Math.max(0, ms), order, run: callback }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    async advance(ms) {
      const end = monotonic + ms
      await runUpTo(end)
      moveTo(end)
    },
    async leap(ms) {
      await settle()
      moveTo(monotonic + ms)
      const due = [...timers].filter((timer) => timer.at <= monotonic)
      for (const timer of due.sort((a, b) => a.at - b.at || a.order - b.order)) if (timers.has(timer)) run(timer)
      await runUpTo(monotonic)
    },
    jumpWall: (ms) => {
      wall += ms
    },
    async until(look, mostMs = MOST_MS) {
      const end = monotonic + mostMs
      let lateMs = 0
      for (;;) {
        const seen = await look()
        if (isFact(seen)) return seen
        await settle()
        const again = await look()
        if (isFact(again)) return again
        const timer = next()
        if (timer === undefined || timer.at > end) {
          if (lateMs >= PATIENCE_MS) throw new Error(`not so within ${mostMs} ms: ${look}`)
          await pass(LOOK_EVERY_MS)
          lateMs += LOOK_EVERY_MS
          continue
        }
        moveTo(timer.at)
        run(timer)
      }
    },
  }
}
