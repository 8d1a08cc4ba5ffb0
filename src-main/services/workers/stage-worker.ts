/**
 * A worker with settings to come: it is started and becomes ready while the workers of today go on, so that a release
 * that does not work is known before anybody is served by it.
 */
import { initializingLimitMs } from '../../contract/endpoint.ts'
import { inSeconds } from '../../domain/text.ts'
import type { HealthWatch } from '../load-balanced/watch-health.ts'
import type { Endpoint } from '../ports/storage.ts'
import type { Clock } from '../ports/system.ts'
import { wait } from '../wait.ts'
import type { LiveWorker, WorkerRegistry } from '../worker-registry.ts'
import type { WorkerCalls } from './worker-calls.ts'
import type { WorkerLifecycle } from './worker-lifecycle.ts'

/** A worker that is ready and waits to be used. */
export type StagedWorker = {
  /** Why it cannot be used any more, should it have ended meanwhile. */
  readonly problem: () => string | undefined
  /** The endpoint has its settings now: it takes jobs. To be called after the commit. */
  readonly promote: () => void
  /** It is not needed. */
  readonly discard: (reason: string) => Promise<void>
}

type Deps = {
  readonly clock: Clock
  readonly registry: WorkerRegistry
  readonly calls: Pick<WorkerCalls, 'goOn'>
  readonly lifecycle: Pick<WorkerLifecycle, 'start' | 'stop'>
  readonly health: Pick<HealthWatch, 'watch'>
}

const COMING: readonly LiveWorker['state'][] = ['initializing']
const CHECK_AGAIN_MS = 60_000
const READY: readonly LiveWorker['state'][] = ['idle', 'running']

/**
 * Starts it and waits until it is ready.
 * @throws Error with the reason when it ends before, becomes ill, takes too long, or is given up by the signal
 */
export async function stageWorker(deps: Deps, endpoint: Endpoint, signal?: AbortSignal): Promise<StagedWorker> {
  const { registry, lifecycle } = deps
  signal?.throwIfAborted()
  const whenGivenUp = () => {
    const starting = registry
      .ofEndpoint(endpoint.id)
      .find(({ duty, revision }) => duty === 'staged' && revision === endpoint.revision)
    // It may wait for an image; then its start ends by this.
    if (starting !== undefined) void lifecycle.stop(starting, 'it is no longer needed', 0).catch(() => undefined)
  }
  signal?.addEventListener('abort', whenGivenUp, { once: true })
  try {
    return await startAndWait(deps, endpoint, signal)
  } finally {
    signal?.removeEventListener('abort', whenGivenUp)
  }
}

async function startAndWait(
  { clock, registry, calls, lifecycle, health }: Deps,
  endpoint: Endpoint,
  signal: AbortSignal | undefined,
): Promise<StagedWorker> {
  const worker = await lifecycle.start(endpoint, 'stage')
  health.watch(worker) // of a load-balanced one only /ping says whether it is ready
  const ms = initializingLimitMs(endpoint.config)
  const isComing = () => COMING.includes(worker.state) && registry.get(worker.id) === worker
  if (isComing()) {
    const listen = (finish: () => void) =>
      registry.onMove((moved) => {
        if (moved === worker && !COMING.includes(worker.state)) finish()
      })
    await wait(clock, { ms, signal, listen })
  }
  if (!READY.includes(worker.state)) {
    const reason = isComing() ? `it was not ready within ${inSeconds(ms)}` : (worker.reason ?? 'it ended')
    // Also where it was given up: whoever comes next finds its slot free.
    if (registry.get(worker.id) === worker) await lifecycle.stop(worker, reason, 0)
    signal?.throwIfAborted()
    throw new Error(reason)
  }
  return {
    problem: () => (worker.state === 'ended' ? (worker.reason ?? 'it ended') : undefined),
    promote() {
      registry.move(worker, 'promote')
      calls.goOn(worker.id)
    },
    discard: (reason) => lifecycle.stop(worker, reason, endpoint.config.stopGraceMs),
  }
}

/** Settles when a worker has ended, however long its jobs take, or the signal aborts. */
export async function whenEnded(
  { clock, registry }: Pick<Deps, 'clock' | 'registry'>,
  worker: LiveWorker,
  signal: AbortSignal,
): Promise<void> {
  while (worker.state !== 'ended' && !signal.aborted) {
    const listen = (finish: () => void) =>
      registry.onMove((moved) => {
        if (moved === worker && worker.state === 'ended') finish()
      })
    await wait(clock, { ms: CHECK_AGAIN_MS, signal, listen })
  }
}
