import { limit } from '../../contract/limits.ts'
import { splitChunk } from '../../domain/job/stream-chunks.ts'
import type { Storage } from '../ports.ts'
import type { ReportOutcome } from './finish.ts'
import type { Leases } from './leases.ts'
import type { JobWaiters } from './wait-for-job.ts'

/**
 * Adds a chunk to the stream of a job, cut where it is above the limit. Arrival order is the order.
 * @param chunk JSON texts of the output and the metrics
 */
export async function appendStream(
  { storage, leases, waiters }: { readonly storage: Storage; readonly leases: Leases; readonly waiters: JobWaiters },
  {
    jobId,
    workerId,
    chunk,
  }: {
    readonly jobId: string
    readonly workerId: string
    readonly chunk: { readonly output: string; readonly metrics: string | undefined }
  },
): Promise<ReportOutcome> {
  const pieces = splitChunk(chunk.output, chunk.metrics, limit('chunkBytes'))
  const lease = leases.get(jobId)
  if (lease === undefined || lease.workerId !== workerId) return 'late'
  const { seq, attempt } = lease
  const stored = await storage.write(() => {
    const job = storage.jobs.read(seq)
    const holds = job?.status === 'IN_PROGRESS' && job.workerId === workerId && job.attempt === attempt
    if (!holds || storage.chunks.count(seq) >= limit('chunksPerJob')) return false
    storage.chunks.append(seq, pieces)
    return true
  })
  waiters.notify(jobId)
  return stored ? 'accepted' : 'late'
}
