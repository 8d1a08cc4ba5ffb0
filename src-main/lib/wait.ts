import type { Clock } from './clock.ts'
import { createEmitter } from './emitter.ts'

export type WaitOptions = {
  readonly ms: number
  readonly signal: AbortSignal | undefined
  readonly listen: (wake: () => void) => () => void
}

/** Waits until woken, `ms` or an abort; the latter two return 'quiet'. */
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

export function pause(clock: Pick<Clock, 'after'>, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve))
}

/** The result of work, unless the signal aborts first, which rejects with its reason. */
export async function untilAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

export type Notifier = ReturnType<typeof createNotifier>

export function createNotifier(clock: Clock) {
  const { emit, on } = createEmitter()
  return {
    notify: emit,
    /** Look for news right before, in the same turn, so none is missed. */ wait: (
      ms: number,
      signal: AbortSignal | undefined,
    ): Promise<'woken' | 'quiet'> => wait(clock, { ms, signal, listen: on }),
  }
}

// Work may change thousands of times a second; followers see it ten times a second.
const NOTIFY_EVERY_MS = 100

export function notifySoon(clock: Clock, notifier: Notifier): (isUrgent: boolean) => void {
  let isComing = false
  return (isUrgent) => {
    if (isUrgent) return notifier.notify()
    if (isComing) return
    isComing = true
    clock.after(NOTIFY_EVERY_MS, () => {
      isComing = false
      notifier.notify()
    })
  }
}
