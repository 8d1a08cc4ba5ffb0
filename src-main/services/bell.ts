import type { Clock } from './ports.ts'
import { wait } from './wait.ts'

/** Wakes whoever waits for news. */
export type Bell = {
  readonly ring: () => void
  /** Waits for a ring, for `ms`, or for the signal. Look for news right before, in the same turn, so none is missed. */
  readonly wait: (ms: number, signal: AbortSignal | undefined) => Promise<'woken' | 'quiet'>
}

/** Makes a bell. */
export function createBell(clock: Clock): Bell {
  const waiting = new Set<() => void>()
  const listen = (wake: () => void) => {
    waiting.add(wake)
    return () => void waiting.delete(wake)
  }
  return {
    ring: () => {
      for (const wake of [...waiting]) wake()
    },
    wait: (ms, signal) => wait(clock, { ms, signal, listen }),
  }
}
