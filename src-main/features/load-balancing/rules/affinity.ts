import { type Candidate, chooseWorker, type ShareRule } from './choose-worker.ts'

/** In requests, the worker that is asked for; in responses, the worker that answered. */
export const WORKER_ID_HEADER = 'X-Runpod-Worker-Id'

/**
 * Only this worker answers a strict request; if it is missing or at capacity, any worker answers others. `resumes`: the
 * worker is woken if it is paused; otherwise a paused worker counts as gone.
 */
export type Affinity = { readonly workerId: string; readonly isStrict: boolean; readonly resumes: boolean }

const ASKED = /^(?:(strict|strict-resume)\s+)?(\S+)$/i

/** Ignores other values, because only strict affinity may fail a request. */
export function readAffinity(header: string | undefined): Affinity | undefined {
  const [, mode, workerId] = ASKED.exec(header?.trim() ?? '') ?? []
  if (workerId === undefined) return undefined
  return { workerId, isStrict: mode !== undefined, resumes: mode?.toLowerCase() === 'strict-resume' }
}

export function chooseWithAffinity<Worker extends Candidate & { readonly id: string }>(
  candidates: readonly Worker[],
  affinity: Affinity | undefined,
  rule: ShareRule,
): Worker | undefined {
  const asked = candidates.find(({ id }) => id === affinity?.workerId)
  if (asked !== undefined && asked.openRequests < rule.share) return asked
  return affinity?.isStrict ? undefined : chooseWorker(candidates, rule)
}
