import type { EndpointConfig } from '../../../contract/endpoint.ts'
import { limit } from '../../../contract/limits.ts'

/** A worker without a job; times are monotonic ms. */
export type IdleWorker = {
  readonly id: string
  readonly idleSince: number
  readonly thawedAt: number | undefined
  readonly frozen: boolean
}

export type FreezeDecision = {
  readonly freeze: readonly string[]
  readonly thaw: readonly string[]
  /** Monotonic ms of the next time-based freeze; undefined: there will be none. */
  readonly nextCheckAt: number | undefined
}

/**
 * Freezes idle processes, as some public SDK versions use a full CPU while waiting. Containers pause instead;
 * load-balanced programs must answer /ping.
 */
export function freezesIdle({
  freezeIdle,
  container,
  loadBalanced,
}: Pick<EndpointConfig, 'freezeIdle' | 'container' | 'loadBalanced'>): boolean {
  return freezeIdle !== false && container === undefined && loadBalanced === undefined
}

/**
 * Frozen workers thaw for a job; with untaken jobs, a worker whose request was already answered must ask again.
 * @param waiting jobs that could be taken now
 */
export function decideFreezing(facts: {
  readonly enabled: boolean
  readonly waiting: number
  readonly concurrency: number
  readonly workers: readonly IdleWorker[]
  readonly now: number
}): FreezeDecision {
  const { enabled, waiting, concurrency, workers, now } = facts
  const frozen = workers.filter((worker) => worker.frozen).toSorted((a, b) => b.idleSince - a.idleSince)
  const wanted = enabled ? Math.ceil(waiting / concurrency) : frozen.length
  const thaw = frozen.slice(0, wanted).map(({ id }) => id)
  if (!enabled || waiting > 0) return { freeze: [], thaw, nextCheckAt: undefined }
  const due = workers
    .filter((worker) => !worker.frozen)
    .map(({ id, idleSince, thawedAt }) => ({
      id,
      at: Math.max(idleSince, thawedAt ?? idleSince) + limit('freezeIdleMs'),
    }))
  const later = due.filter(({ at }) => at > now).map(({ at }) => at)
  return {
    freeze: due.filter(({ at }) => at <= now).map(({ id }) => id),
    thaw,
    nextCheckAt: later.length === 0 ? undefined : Math.min(...later),
  }
}

/** Default pause of an idle container without GPU, ms; source: ours, a short break costs no cold start. */
const KEEP_PAUSED_MS = 600_000

/**
 * Pause before an idle worker ends, ms; 0: never paused. Processes start fast, and paused workers hold GPU memory, so
 * both need the setting. Source: docs/spec/targets.md, 1.
 */
export function keepPausedMs({ container }: Pick<EndpointConfig, 'container'>): number {
  if (container === undefined) return 0
  return container.keepPausedMs ?? (container.gpu === undefined ? KEEP_PAUSED_MS : 0)
}
