/** Work of several waiting callers, like a pull, aborts when the last one leaves; later callers join. */
import { untilAborted } from '../../lib/wait.ts'
import type { Watch } from '../port.ts'

export type SharedWork = (name: string, watch: Watch, begin: (watch: Watch) => Promise<void>) => Promise<void>

type Running = {
  readonly done: Promise<void>
  readonly abort: (reason: unknown) => void
  readonly waiting: Set<Watch>
  latest: string | undefined
}

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
      // Starts in a later turn, when all callers are registered.
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
    try {
      await untilAborted(signal, running.done)
    } finally {
      running.waiting.delete(watch)
      if (running.waiting.size === 0 && signal.aborted) {
        table.delete(name)
        running.abort(signal.reason)
      }
    }
  }
}
