/**
 * Work that several wait for and one does, like the pull of an image. It ends with an abort only when the last of those
 * who wait has left; whoever comes later joins it, and gets its progress at once.
 */
import type { Watch } from '../../services/ports/fleet.ts'

/** Joins the work of this name, or begins it. Rejects as the work does, or with the reason of `signal`. */
export type SharedWork = (name: string, watch: Watch, begin: (watch: Watch) => Promise<void>) => Promise<void>

type Running = {
  readonly done: Promise<void>
  readonly abort: (reason: unknown) => void
  readonly waiting: Set<Watch>
  latest: string | undefined
}

/** Makes the table of what is being done. */
export function createSharedWork(): SharedWork {
  const table = new Map<string, Running>()

  function start(name: string, begin: (watch: Watch) => Promise<void>): Running {
    const controller = new AbortController()
    const waiting = new Set<Watch>()
    const report = (progress: string) => {
      running.latest = progress
      for (const watch of waiting) watch.report(progress)
    }
    const running: Running = {
      // Begun in a later turn, when those who wait are in the table.
      done: Promise.resolve().then(() => begin({ report, signal: controller.signal })),
      abort: (reason) => controller.abort(reason),
      waiting,
      latest: undefined,
    }
    table.set(name, running)
    const forget = () => {
      if (table.get(name) === running) table.delete(name)
    }
    running.done.then(forget, forget)
    return running
  }

  return async (name, { report, signal }, begin) => {
    signal.throwIfAborted()
    const running = table.get(name) ?? start(name, begin)
    const watch = { report, signal }
    running.waiting.add(watch)
    if (running.latest !== undefined) report(running.latest)
    const left = Promise.withResolvers<never>()
    const leave = () => left.reject(signal.reason)
    signal.addEventListener('abort', leave)
    try {
      await Promise.race([running.done, left.promise])
    } finally {
      signal.removeEventListener('abort', leave)
      running.waiting.delete(watch)
      if (running.waiting.size === 0 && signal.aborted) {
        table.delete(name) // whoever comes now begins anew
        running.abort(signal.reason)
      }
    }
  }
}
