/**
 * A worker with settings to come: it is started and becomes ready while the workers of today go on, so that a release
 * that does not work is known before anybody is served by it.
 */
import { inSeconds } from '../../domain/worker/in-seconds.ts'
import type { Clock, Endpoint } from '../ports.ts'
import { wait } from '../wait.ts'
import type { WorkerCalls } from './worker-calls.ts'
import type { WorkerLifecycle } from './worker-lifecycle.ts'
import type { LiveWorker, WorkerRegistry } from './worker-registry.ts'

/** A worker that is ready and waits to be used. */
export type StagedWorker = {
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
}

const COMING: readonly LiveWorker['state'][] = ['initializing']
const READY: readonly LiveWorker['state'][] = ['idle', 'running']

/**
 * Starts it and waits until it is ready.
 * @throws Error with the reason when it ends before, becomes ill, or takes too long
 */
export async function stageWorker(
  { clock, registry, calls, lifecycle }: Deps,
  endpoint: Endpoint,
): Promise<StagedWorker> {
  const worker = await lifecycle.start(endpoint, true)
  const ms = endpoint.config.initializingTimeoutMs
  const isComing = () => COMING.includes(worker.state) && registry.get(worker.id) === worker
  if (isComing()) {
    const listen = (finish: () => void) =>
      registry.onMove((moved) => {
        if (moved === worker && !COMING.includes(worker.state)) finish()
      })
    await wait(clock, { ms, signal: undefined, listen })
  }
  if (!READY.includes(worker.state)) {
    const reason = isComing() ? `it was not ready within ${inSeconds(ms)}` : (worker.reason ?? 'it ended')
    if (worker.state !== 'ended') await lifecycle.stop(worker, reason, 0)
    throw new Error(reason)
  }
  return {
    promote() {
      worker.staged = false
      calls.goOn(worker.id)
    },
    discard: (reason) => lifecycle.stop(worker, reason, endpoint.config.stopGraceMs),
  }
}
