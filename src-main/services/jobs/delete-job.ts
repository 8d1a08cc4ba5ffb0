/** An ended job deleted for good, with all that belongs to it. */
import { AppError } from '../../contract/errors.ts'
import { JOB_STATES } from '../../contract/job.ts'
import { isFinal } from '../../domain/job/transitions.ts'
import type { Job, Storage } from '../ports/storage.ts'
import type { Clock } from '../ports/system.ts'
import { momentOf } from '../steady-clock.ts'

/**
 * Deletes the record of an ended job: payloads, stream and history. Counts of its endpoint stay.
 * @throws AppError WRONG_STATE while it has not ended
 */
export async function deleteJob(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  { id, seq, status }: Job,
): Promise<void> {
  if (!isFinal(status)) {
    const allowed = JOB_STATES.filter(isFinal).join(', ')
    throw new AppError('WRONG_STATE', { jobId: id, status, operation: 'deleting it', allowed })
  }
  const { archive, jobs } = storage
  // The chunks of a long stream take several writes.
  let isDeleted = false
  while (!isDeleted)
    isDeleted = await storage.write(() => {
      archive.add(seq, momentOf(clock))
      if (!archive.removeOutput(seq)) return false
      jobs.remove(seq)
      return true
    })
}
