import type { Clock, Fleet, Job, Log, Storage, StoredWorker } from '../ports.ts'
import type { Leases } from '../queue/leases.ts'
import { momentOf } from '../steady-clock.ts'
import type { LiveWorker, WorkerRegistry } from './worker-registry.ts'

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
  const adopted = new Set<string>()
  for (const stored of storage.workers.all()) {
    if (
      storage.endpoints.get(stored.endpointId) !== undefined &&
      (await fleet.adopt({ workerId: stored.id, handle: stored.handle }))
    ) {
      adopted.add(stored.id)
      registry.add(adoptedWorker(stored, clock, fleet))
      log.info('worker adopted', { workerId: stored.id, endpointId: stored.endpointId })
    } else await storage.write(() => storage.workers.remove(stored.id))
  }
  await fleet.sweep()
  const held = (job: Job) => job.workerId !== null && adopted.has(job.workerId)
  const running = storage.jobs.inProgress()
  for (const job of running.filter(held)) leases.resume(job)
  const orphans = running.filter((job) => !held(job))
  if (orphans.length === 0) return
  await storage.write(() => {
    for (const { seq } of orphans)
      storage.jobs.move(
        seq,
        'release',
        { reason: 'the service was restarted and its worker was gone' },
        momentOf(clock),
      )
  })
}

function adoptedWorker(
  { id, endpointId, revision, tokenHash, startedAt }: StoredWorker,
  clock: Clock,
  fleet: Fleet,
): LiveWorker {
  return {
    id,
    endpointId,
    revision,
    tokenHash,
    startedAt: clock.steady(),
    startedWallAt: startedAt,
    state: 'initializing', // until it calls
    reason: 'adopted after a restart of the service',
    pid: fleet.list().find(({ workerId }) => workerId === id)?.pid,
    lastSeen: clock.steady(),
    lastSeenWallAt: undefined,
    idleSince: undefined,
    becameReady: false,
    jobsDone: 0,
    ordered: false,
    replace: false,
    told: false,
    stopOrders: new Map(),
    lastLines: [],
  }
}
