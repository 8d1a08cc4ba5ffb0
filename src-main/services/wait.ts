import type { Clock } from './ports.ts'

/** What ends a wait. `listen` gets a function that wakes, and returns one that stops listening. */
export type WaitOptions = {
  readonly ms: number
  readonly signal: AbortSignal | undefined
  readonly listen: (wake: () => void) => () => void
}

/** Waits until it is woken, until `ms` is over, or until the signal aborts; the latter two are 'quiet'. */
export function wait(clock: Clock, { ms, signal, listen }: WaitOptions): Promise<'woken' | 'quiet'> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve('quiet')
    const finish = (how: 'woken' | 'quiet') => {
      stopListening()
      cancelTimer()
      signal?.removeEventListener('abort', giveUp)
      resolve(how)
    }
    const giveUp = () => finish('quiet')
    const stopListening = listen(() => finish('woken'))
    const cancelTimer = clock.after(ms, giveUp)
    signal?.addEventListener('abort', giveUp, { once: true })
  })
}
