import type { Clock } from './ports.ts'

/** Wakes whoever waits for news. */
export type Bell = {
  readonly ring: () => void
  /** Waits for a ring, for `ms`, or for the signal. Look for news right before, in the same turn, so none is missed. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<'rung' | 'quiet'>
}

/** Makes a bell. */
export function createBell(clock: Clock): Bell {
  const waiting = new Set<(how: 'rung' | 'quiet') => void>()
  return {
    ring: () => {
      for (const wake of [...waiting]) wake('rung')
    },
    wait: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve('quiet')
        const wake = (how: 'rung' | 'quiet') => {
          waiting.delete(wake)
          cancel()
          signal.removeEventListener('abort', onAbort)
          resolve(how)
        }
        const onAbort = () => wake('quiet')
        const cancel = clock.after(ms, () => wake('quiet'))
        signal.addEventListener('abort', onAbort, { once: true })
        waiting.add(wake)
      }),
  }
}
