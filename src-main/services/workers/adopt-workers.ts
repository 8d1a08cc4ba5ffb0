import type { StoredWorker } from '../ports/workers.ts'
import type { Clock, Fleet, Job, Log, Storage } from '../ports.ts'
import type { Leases } from '../queue/leases.ts'
import { momentOf } from '../steady-clock.ts'
import { newLiveWorker, type WorkerRegistry } from './worker-registry.ts'

/**
 * After a crash of the service: takes over the workers that still live, with full leases on the jobs they hold, ends
 * the others, and queues again what no living worker holds. That counts as no try: nobody but the service failed.
 */
export async function adoptWorkers({
  storage,
  clock,
  fleet,
  leases,
  registry,
  log,
}: {
  readonly storage: Storage
  readonly clock: Clock
  readonly fleet: Fleet
  readonly leases: Leases
  readonly registry: WorkerRegistry
  readonly log: Log
}): Promise<void> {
  const running = storage.jobs.inProgress()
  const adopted = new Set<string>()
  for (const stored of storage.workers.all()) {
    if (!(await stillLives(stored))) {
      await storage.write(() => storage.workers.remove(stored.id))
      continue
    }
    adopted.add(stored.id)
    const endpoint = storage.endpoints.get(stored.endpointId)
    const worker = newLiveWorker({ ...stored, startedWallAt: stored.startedAt }, endpoint?.config, clock)
    worker.adopted = true
    // Of settings of before, or of a release that was cut off: it must not take a job in the moment before it leaves.
    worker.replace = stored.revision !== endpoint?.revision
    worker.placed = fleet.list().find(({ workerId }) => workerId === stored.id)
    registry.add(worker)
    // One that runs a job may not ask for another for long, and has been ready before.
    if (running.some((job) => job.workerId === stored.id)) {
      registry.apply(worker, 'ready', 'adopted after a restart of the service')
      registry.apply(worker, 'takeJob')
    }
    log.info('worker adopted', { workerId: stored.id, endpointId: stored.endpointId })
  }
  await fleet.sweep()
  const held = (job: Job) => job.workerId !== null && adopted.has(job.workerId)
  for (const job of running.filter(held)) leases.resume(job)
  await storage.write(() => {
    for (const { seq } of running.filter((job) => !held(job))) {
      const reason = 'the service was restarted and its worker was gone'
      storage.jobs.move(seq, 'release', { reason }, momentOf(clock))
    }
  })

  function stillLives({ id, endpointId, handle }: StoredWorker): Promise<boolean> {
    if (storage.endpoints.get(endpointId) === undefined) return Promise.resolve(false)
    return fleet.adopt({ workerId: id, handle })
  }
}
