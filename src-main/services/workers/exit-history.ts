import { type CrashLoop, judgeCrashLoop, type WorkerExit } from '../../domain/worker/crash-loop.ts'
import type { LiveWorker } from './worker-registry.ts'

/** How workers ended lately, by endpoint, and whether that is a crash loop. */
export type ExitHistory = {
  /** Each worker counts once, and a staged one never: the endpoint itself has not crashed. @param end its last words, and its exit code if it has one @param now steady ms */
  readonly remember: (
    worker: LiveWorker,
    end: { readonly words: string; readonly code: number | undefined },
    now: number,
  ) => void
  readonly crashLoop: (endpointId: string, now: number) => CrashLoop | undefined
  readonly forget: (endpointId: string) => void
}

// People are told how many crashes there were in a row; at the longest pause these are three hours.
const EXITS_KEPT = 200

/** Makes the history. It lives in memory: after a restart of the service everybody gets a fresh try. */
export function createExitHistory(): ExitHistory {
  const exits = new Map<string, readonly WorkerExit[]>()
  return {
    remember(worker, { words, code }, now) {
      if (worker.counted || worker.staged) return
      worker.counted = true
      const exit = {
        at: now,
        livedMs: now - worker.startedAt,
        becameReady: worker.becameReady,
        jobsDone: worker.jobsDone,
        ordered: (worker.ordered && worker.failure === undefined) || worker.adopted,
        reason: words,
        code: worker.ordered ? undefined : code,
      }
      exits.set(worker.endpointId, [...(exits.get(worker.endpointId) ?? []), exit].slice(-EXITS_KEPT))
    },
    crashLoop: (endpointId, now) => judgeCrashLoop(exits.get(endpointId) ?? [], now),
    forget: (endpointId) => void exits.delete(endpointId),
  }
}
