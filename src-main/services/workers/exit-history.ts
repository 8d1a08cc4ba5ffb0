import { type CrashLoop, judgeCrashLoop } from '../../domain/worker/crash-loop.ts'
import type { StoredExit } from '../ports/workers.ts'
import type { Log, Storage } from '../ports.ts'
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

/** Makes the history. It is stored, so that a crash loop goes on after a restart of the service: count, words and next try. */
export function createExitHistory({ storage, log }: { readonly storage: Storage; readonly log: Log }): ExitHistory {
  const exits = new Map<string, StoredExit[]>()
  for (const exit of storage.workers.exits()) keep(exit)

  function keep(exit: StoredExit): void {
    exits.set(exit.endpointId, [...(exits.get(exit.endpointId) ?? []), exit].slice(-EXITS_KEPT))
  }

  function write(endpointId: string, work: () => void): void {
    storage.write(work).catch((error) => log.error('history of crashes not stored', { endpointId, error }))
  }

  return {
    remember(worker, { words, code }, now) {
      if (worker.counted || worker.staged) return
      worker.counted = true
      const exit = {
        endpointId: worker.endpointId,
        at: now,
        livedMs: now - worker.startedAt,
        becameReady: worker.becameReady,
        jobsDone: worker.jobsDone,
        ordered: (worker.ordered && worker.failure === undefined) || worker.adopted,
        reason: words,
        code: worker.ordered ? undefined : code,
      }
      keep(exit)
      write(exit.endpointId, () => storage.workers.addExit(exit, EXITS_KEPT))
    },
    crashLoop: (endpointId, now) => judgeCrashLoop(exits.get(endpointId) ?? [], now),
    forget(endpointId) {
      if (exits.delete(endpointId)) write(endpointId, () => storage.workers.forgetExits(endpointId))
    },
  }
}
