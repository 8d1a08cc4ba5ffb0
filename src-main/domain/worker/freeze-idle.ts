/** Idle workers that are stopped: processes while they stay, containers when they would leave. */
import type { EndpointConfig } from '../../contract/endpoint.ts'
import { limit } from '../../contract/limits.ts'

/** A worker without a job. Times are steady ms. */
export type IdleWorker = {
  readonly id: string
  /** Since when it has had no job. */
  readonly idleSince: number
  /** When it last went on after it was frozen; undefined: never. */
  readonly thawedAt: number | undefined
  readonly frozen: boolean
}

/** Which idle workers to freeze and which to let go on now. */
export type FreezeDecision = {
  readonly freeze: readonly string[]
  readonly thaw: readonly string[]
  /** When time alone freezes the next one, steady ms; undefined: never. */
  readonly nextCheckAt: number | undefined
}

/**
 * Whether idle workers of this endpoint are frozen while they stay: processes that take jobs. Some versions of the
 * public SDK use a whole CPU while they wait. A container is paused when it would leave, see keepPausedMs; a
 * load-balanced program may work between its requests, and must answer /ping.
 */
export function freezesIdle({
  freezeIdle,
  container,
  loadBalanced,
}: Pick<EndpointConfig, 'freezeIdle' | 'container' | 'loadBalanced'>): boolean {
  return freezeIdle !== false && container === undefined && loadBalanced === undefined
}

/**
 * Decides who is frozen. A frozen worker stays idle: it counts, leaves after the idle timeout, and goes on as soon as a
 * job is handed to it. Where a job waits that nobody takes, its request for one was answered meanwhile: it has to ask
 * anew.
 * @param waiting jobs that could be taken now
 */
export function decideFreezing({
  enabled,
  waiting,
  concurrency,
  workers,
  now,
}: {
  readonly enabled: boolean
  readonly waiting: number
  readonly concurrency: number
  readonly workers: readonly IdleWorker[]
  readonly now: number
}): FreezeDecision {
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

/** How long an idle container without a GPU stays paused, ms; source: ours, a pause at the desk costs no cold start. */
const KEEP_PAUSED_MS = 600_000

/**
 * How long a worker of this endpoint stays paused before it ends, ms; 0: it is never paused. Processes are not: they
 * start fast. With a GPU only where the endpoint asks for it: a paused worker holds the memory of its card.
 * Source: docs/spec/targets.md, 1.
 */
export function keepPausedMs({ container }: Pick<EndpointConfig, 'container'>): number {
  if (container === undefined) return 0
  return container.keepPausedMs ?? (container.gpu === undefined ? KEEP_PAUSED_MS : 0)
}
