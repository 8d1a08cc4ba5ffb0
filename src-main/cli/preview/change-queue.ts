import type { ProjectChange } from '../../app-builder/watch-app.ts'

/** Changes of a project that wait to be taken over. */
export type ChangeQueue = {
  readonly push: (change: ProjectChange) => void
  /** Waits for a change and takes all that came until then as one; undefined: the signal was aborted. */
  readonly next: (signal: AbortSignal) => Promise<ProjectChange | undefined>
  /** Settles when a change waits, or the signal is aborted. */
  readonly whenWaiting: (signal: AbortSignal) => Promise<void>
}

/** Makes an empty queue. */
export function createChangeQueue(): ChangeQueue {
  let waiting: ProjectChange | undefined
  const wake = new Set<() => void>()

  async function whenWaiting(signal: AbortSignal): Promise<void> {
    if (waiting !== undefined || signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    wake.add(resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
    wake.delete(resolve)
  }

  return {
    push(change) {
      waiting = waiting === undefined ? change : merge(waiting, change)
      for (const resolve of wake) resolve()
    },
    async next(signal) {
      await whenWaiting(signal)
      const change = signal.aborted ? undefined : waiting
      waiting = undefined
      return change
    },
    whenWaiting,
  }
}

function merge(earlier: ProjectChange, later: ProjectChange): ProjectChange {
  return { files: [...new Set([...earlier.files, ...later.files])].sort(), at: Math.min(earlier.at, later.at) }
}
