import { initializingLimitMs } from '../../contract/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import { inSeconds } from '../../lib/text.ts'
import { wait } from '../../lib/wait.ts'
import type { Endpoint } from '../../storage/storage.ts'
import type { HealthWatch } from '../load-balancing/watch-health.ts'
import type { LiveWorker, WorkerRegistry } from './registry/worker-registry.ts'
import type { WorkerCalls } from './worker-calls.ts'
import type { WorkerLifecycle, WorkerStart } from './worker-lifecycle.ts'

export type StagedWorker = {
  readonly problem: () => string | undefined
  /** The settings are committed: it takes jobs. Call after the commit. */
  readonly promote: () => void
  readonly discard: (reason: string) => Promise<void>
}

type Deps = {
  readonly clock: Clock
  readonly registry: WorkerRegistry
  readonly calls: Pick<WorkerCalls, 'goOn'>
  readonly lifecycle: Pick<WorkerLifecycle, 'start' | 'stop'>
  readonly health: Pick<HealthWatch, 'watch'>
}

export type Staging = Pick<WorkerStart, 'pool' | 'because'> & { readonly signal: AbortSignal | undefined }

const COMING: readonly LiveWorker['state'][] = ['initializing']
const CHECK_AGAIN_MS = 60_000
const READY: readonly LiveWorker['state'][] = ['idle', 'running']

/**
 * Waits until the worker is ready.
 * @throws Error with the reason if it ends, becomes unhealthy, times out or is aborted
 */
export async function stageWorker(
  deps: Deps,
  endpoint: Endpoint,
  { pool, because, signal }: Staging,
): Promise<StagedWorker> {
  const { registry, lifecycle } = deps
  signal?.throwIfAborted()
  const whenGivenUp = () => {
    const starting = registry
      .ofEndpoint(endpoint.id)
      .find(({ duty, revision }) => duty === 'staged' && revision === endpoint.revision)
    if (starting !== undefined) void lifecycle.stop(starting, 'it is no longer needed', 0).catch(() => undefined)
  }
  signal?.addEventListener('abort', whenGivenUp, { once: true })
  try {
    return await startAndWait(deps, endpoint, { pool, because, signal })
  } finally {
    signal?.removeEventListener('abort', whenGivenUp)
  }
}

async function startAndWait(
  { clock, registry, calls, lifecycle, health }: Deps,
  endpoint: Endpoint,
  { pool, because, signal }: Staging,
): Promise<StagedWorker> {
  const worker = await lifecycle.start(endpoint, { begins: 'stage', pool, because })
  health.watch(worker) // a load-balanced worker is ready only when /ping says so
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
    // Also if aborted, so that its slot is free for the next.
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
