import type { QueueCount, QueueCounts } from '../queue/queue-counts.ts'
import type { WorkerRegistry } from '../workers/worker-registry.ts'
import type { RequestBalancer } from './balance-requests.ts'

/**
 * Adds the requests of load-balanced endpoints to the counts of jobs: one that waits counts as a waiting job, an open
 * one as one in progress. So health, scaling, metrics and the reason why something waits know one kind of work.
 */
export function countRequests(
  jobs: QueueCounts,
  balancer: Pick<RequestBalancer, 'counts' | 'waitingInAll'>,
  registry: Pick<WorkerRegistry, 'all'>,
): QueueCounts {
  return {
    of: (endpointId) => {
      const { waiting, open } = balancer.counts(endpointId)
      return waiting + open === 0 ? jobs.of(endpointId) : added(jobs.of(endpointId), waiting, open)
    },
    total: () => {
      const open = registry.all().reduce((sum, worker) => sum + worker.openRequests, 0)
      return added(jobs.total(), balancer.waitingInAll(), open)
    },
  }
}

const added = (count: QueueCount, waiting: number, open: number): QueueCount => ({
  ...count,
  normal: count.normal + waiting,
  inProgress: count.inProgress + open,
})
