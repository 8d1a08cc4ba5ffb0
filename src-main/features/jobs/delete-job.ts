import { AppError } from '../../contract/errors.ts'
import { JOB_STATES, type JobState } from '../../contract/job.ts'
import { type Clock, momentOf } from '../../lib/clock.ts'
import type { Job, Storage } from '../../storage/storage.ts'
import { isFinal } from './rules/transitions.ts'

/**
 * Deletes an ended job's payloads, stream and history; endpoint counts stay.
 * @throws AppError WRONG_STATE while it has not ended
 */
export async function deleteJob(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  { id, seq }: Job,
): Promise<void> {
  const { archive, jobs } = storage
  // A long stream takes several writes, and the job may be retried before each.
  const removeSome = (): JobState | 'removed' | undefined => {
    const status = jobs.read(seq)?.status
    if (status === undefined) return 'removed'
    if (!isFinal(status)) return status
    archive.add(seq, momentOf(clock))
    if (!archive.removeOutput(seq)) return undefined
    jobs.remove(seq)
    return 'removed'
  }
  let end: ReturnType<typeof removeSome>
  while (end === undefined) end = await storage.write(removeSome)
  if (end === 'removed') return
  const allowed = JOB_STATES.filter(isFinal).join(', ')
  throw new AppError('WRONG_STATE', { jobId: id, status: end, operation: 'deleting it', allowed })
}
