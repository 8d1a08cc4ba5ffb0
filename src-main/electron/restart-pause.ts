/** When a service that ended by itself is started again. */

/** The verdict after a crash. */
export type RestartPlan = {
  readonly pauseMs: number
  /** Crashes that count, this one included. */
  readonly crashes: number
  /** So many that it will hardly go by itself: somebody should look at the log. */
  readonly looping: boolean
}

// Source: ours. The first restart is quick, as most crashes are single ones; a loop must not keep the machine busy.
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
// A crash this long ago is another story, in ms; twice what a loop at the longest pause takes for a handful.
const FORGET_MS = 5 * 60_000
const LOOP_FROM = 4

/**
 * Judges how long to wait: 0.5 s after the first crash, then 1 s, 2 s ... 30 s.
 * @param crashedAt times of the crashes in steady ms, newest last
 * @param now steady ms
 */
export function planRestart(crashedAt: readonly number[], now: number): RestartPlan {
  const crashes = crashedAt.filter((at) => now - at < FORGET_MS).length
  return {
    pauseMs: Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, crashes - 1)),
    crashes,
    looping: crashes >= LOOP_FROM,
  }
}
