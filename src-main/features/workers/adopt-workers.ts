import { type Clock, type Log, momentOf } from '../../lib/clock.ts'
import type { Fleet } from '../../runtimes/port.ts'
import type { Job, Storage, StoredWorker } from '../../storage/storage.ts'
import type { Leases } from '../jobs/queue/leases.ts'
import { newLiveWorker, type WorkerRegistry } from './registry/worker-registry.ts'
import type { WorkflowServers } from './registry/workflow-servers.ts'

/**
 * After a crash of the service: adopts live workers with full leases, ends others, and requeues jobs without counting a
 * try.
 */
export async function adoptWorkers(deps: {
  readonly storage: Storage
  readonly clock: Clock
  readonly fleet: Pick<Fleet, 'adopt' | 'list' | 'sweep'>
  readonly leases: Leases
  readonly registry: WorkerRegistry
  readonly servers: Pick<WorkflowServers, 'take'>
  readonly log: Log
}): Promise<void> {
  const { storage, clock, fleet, leases, registry, servers, log } = deps
  const running = storage.jobs.inProgress()
  const adopted = new Set<string>()
  for (const stored of storage.workers.all()) {
    if (!(await stillLives(stored))) {
      await storage.write(() => storage.workers.remove(stored.id))
      continue
    }
    adopted.add(stored.id)
    const endpoint = storage.endpoints.get(stored.endpointId)
    const started = fleet.list().find(({ workerId }) => workerId === stored.id)
    const worker = newLiveWorker(
      { ...stored, startedWallAt: stored.startedAt, adopted: true, started },
      { config: endpoint?.config, begins: 'serve', clock },
    )
    registry.add(worker, 'it ran before the service started')
    // With old settings or of an interrupted release: it must not take a job before it leaves.
    if (stored.revision !== endpoint?.revision) registry.move(worker, 'retire')
    // A worker with a job was ready before, and may not ask for another for long.
    if (running.some((job) => job.workerId === stored.id)) {
      registry.move(worker, 'ready', { reason: 'adopted after a restart of the service' })
      registry.move(worker, 'takeJob')
    }
    log.info('worker adopted', { workerId: stored.id, endpointId: stored.endpointId })
  }
  await fleet.sweep()
  const held = (job: Job) => job.workerId !== null && adopted.has(job.workerId)
  const kept = running.filter(held)
  const needs = storage.runs.needs(kept.map(({ id }) => id))
  for (const job of kept) {
    leases.resume(job)
    const server = registry.get(job.workerId ?? '')?.server
    if (server !== undefined) servers.take(server, needs.get(job.id))
  }
  await storage.write(() => {
    for (const { seq } of running.filter((job) => !held(job))) {
      const reason = 'the service was restarted and its worker had ended'
      storage.jobs.move(seq, 'release', { reason }, momentOf(clock))
    }
  })

  function stillLives({ id, endpointId, handle }: StoredWorker): Promise<boolean> {
    if (storage.endpoints.get(endpointId) === undefined) return Promise.resolve(false)
    return fleet.adopt({ workerId: id, handle })
  }
}
