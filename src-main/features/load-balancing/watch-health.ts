/**
 * Checks are fast until ready or while unhealthy, else slow. Unhealthy workers get no requests and leave unless they
 * recover.
 */

import type { Clock, Log } from '../../lib/clock.ts'
import { wait } from '../../lib/wait.ts'
import type { WorkerAddress } from '../../runtimes/port.ts'
import type { LiveWorker, WorkerRegistry } from '../workers/registry/worker-registry.ts'
import type { Pinger } from './ports.ts'
import { evaluatePing, type PingResult } from './rules/evaluate-ping.ts'

export type HealthWatch = ReturnType<typeof createHealthWatch>

// Intervals, ms; source: ours. Starts are noticed at once, healthy workers cost almost nothing.
const STARTING_MS = 50
const ILL_MS = 500
const HEALTHY_MS = 3000
/** Response limit, ms; source: ours, as long as the lease leaves between two pings. */
const TIMEOUT_MS = 5000
/** Time to recover, ms; source: ours, as long as a job's lease. */
const RECOVERY_MS = 10_000

export function createHealthWatch(deps: {
  readonly clock: Clock
  readonly registry: WorkerRegistry
  readonly ping: Pinger
  readonly log: Log
  readonly onChange: (endpointId: string) => void
}) {
  const { clock, registry, ping, log, onChange } = deps
  const watched = new Map<string, Promise<void>>()
  const recoveries = new Map<string, () => void>()
  const stopping = new AbortController()
  const { signal } = stopping

  const lives = (worker: LiveWorker) => !signal.aborted && registry.get(worker.id) === worker
  const isAsked = ({ state }: LiveWorker) => state !== 'paused' && state !== 'stopping' && state !== 'ended'

  const pause = (ms: number) => wait(clock, { ms, signal, listen: () => () => undefined })

  function intervalOf({ state }: LiveWorker, failures: number): number {
    if (state === 'initializing') return STARTING_MS
    return state === 'unhealthy' || failures > 0 ? ILL_MS : HEALTHY_MS
  }

  function evaluate(worker: LiveWorker, result: PingResult, port: number, failures: number): number {
    const { state, openRequests, healthPath: path } = worker
    const inContainer = worker.started?.container !== undefined
    const verdict = evaluatePing(result, { state, openRequests, path, port, inContainer, failures })
    if (result.kind === 'status') registry.note(worker, { lastSeenWallAt: clock.now() })
    const { event, reason, nothingListens } = verdict
    registry.note(worker, { nothingListens })
    if (event === undefined) {
      if (reason !== undefined) registry.move(worker, 'explain', { reason })
      return verdict.failures
    }
    recoveries.get(worker.id)?.()
    registry.move(worker, event, { reason })
    if (worker.phase === 'recovering') waitForRecovery(worker)
    if (worker.openRequests > 0) registry.move(worker, 'takeJob')
    log.info('worker health changed', { workerId: worker.id, endpointId: worker.endpointId, event, reason })
    onChange(worker.endpointId)
    return verdict.failures
  }

  function waitForRecovery(worker: LiveWorker): void {
    const cancel = clock.after(RECOVERY_MS, () => {
      registry.move(worker, 'endRecovery')
      if (lives(worker)) onChange(worker.endpointId)
    })
    recoveries.set(worker.id, cancel)
  }

  async function follow(worker: LiveWorker, address: WorkerAddress): Promise<void> {
    let failures = 0
    while (lives(worker)) {
      if (isAsked(worker)) {
        const result = await ping(address, { path: worker.healthPath, timeoutMs: TIMEOUT_MS, signal })
        // A worker that was frozen meanwhile says nothing about its health, so the result is dropped.
        if (lives(worker) && isAsked(worker)) failures = evaluate(worker, result, address.healthPort, failures)
      }
      await pause(intervalOf(worker, failures))
    }
  }

  return {
    watch(worker: LiveWorker) {
      const address = worker.started?.address
      if (address === undefined || watched.has(worker.id) || signal.aborted) return
      const following = follow(worker, address)
        .catch((error) => log.error('worker is not watched any longer', { workerId: worker.id, error }))
        .finally(() => {
          watched.delete(worker.id)
          recoveries.get(worker.id)?.()
          recoveries.delete(worker.id)
        })
      watched.set(worker.id, following)
    },
    async stop() {
      stopping.abort()
      await Promise.all(watched.values())
    },
  }
}
