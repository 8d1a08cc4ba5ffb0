/** Waiting: until somebody wakes, a time is over or a signal aborts; and the notifier that wakes. */
import { createEmitter } from '../domain/emitter.ts'
import type { Clock } from './ports/system.ts'

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

/** Waits for work that does not reject, but no longer than `ms`, or until the signal aborts. */
export async function waitAtMost(
  clock: Clock,
  { ms, signal }: Pick<WaitOptions, 'ms' | 'signal'>,
  work: Promise<unknown>,
): Promise<void> {
  const listen = (wake: () => void) => {
    void work.then(wake)
    return () => undefined
  }
  await wait(clock, { ms, signal, listen })
}

/** Wakes whoever waits for news. */
export type Notifier = {
  readonly notify: () => void
  /**
   * Waits for a notification, for `ms`, or for the signal. Look for news right before, in the same turn, so none is
   * missed.
   */
  readonly wait: (ms: number, signal: AbortSignal | undefined) => Promise<'woken' | 'quiet'>
}

/** Makes a notifier. */
export function createNotifier(clock: Clock): Notifier {
  const { emit, on } = createEmitter()
  return { notify: emit, wait: (ms, signal) => wait(clock, { ms, signal, listen: on }) }
}
