import { type CrashLoop, judgeCrashLoop, type WorkerExit } from '../../domain/worker/crash-loop.ts'
import type { LiveWorker } from './worker-registry.ts'

/** How workers ended lately, by endpoint, and whether that is a crash loop. */
export type ExitHistory = {
  /** @param reason its last words @param now steady ms */
  readonly remember: (worker: LiveWorker, reason: string, now: number) => void
  readonly crashLoop: (endpointId: string, now: number) => CrashLoop | undefined
  readonly forget: (endpointId: string) => void
}

// A crash loop is judged by the last crashes in a row; the pause is at its longest after seven.
const EXITS_KEPT = 30

/** Makes the history. It lives in memory: after a restart of the service everybody gets a fresh try. */
export function createExitHistory(): ExitHistory {
  const exits = new Map<string, readonly WorkerExit[]>()
  return {
    remember(worker, reason, now) {
      const exit = {
        at: now,
        livedMs: now - worker.startedAt,
        becameReady: worker.becameReady,
        jobsDone: worker.jobsDone,
        ordered: (worker.ordered && !neverReady(worker)) || worker.adopted,
        reason: neverReady(worker) ? (worker.reason ?? reason) : reason,
      }
      exits.set(worker.endpointId, [...(exits.get(worker.endpointId) ?? []), exit].slice(-EXITS_KEPT))
    },
    crashLoop: (endpointId, now) => judgeCrashLoop(exits.get(endpointId) ?? [], now),
    forget: (endpointId) => void exits.delete(endpointId),
  }
}

// We ended it because it did not become ready in time: that is its fault, not our wish.
function neverReady(worker: LiveWorker): boolean {
  return worker.ordered && !worker.becameReady && worker.reason?.startsWith('not ready within') === true
}
