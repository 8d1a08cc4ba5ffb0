import { jsonText } from '../../lib/json/text.ts'
import { MIB } from '../../lib/units.ts'
import type { Job, Storage } from '../../storage/storage.ts'
import { type Progress, readProgress } from './rules/messages.ts'

const PROGRESS_LENGTH = MIB

/** @returns undefined if the job does not run, or reports something else */
export async function readJobProgress(
  { jobs }: Pick<Storage, 'jobs'>,
  job: Job | undefined,
): Promise<Progress | undefined> {
  if (job?.status !== 'IN_PROGRESS') return undefined
  const output = await jobs.readOutput(job)
  // Only other kinds of workers report more, and reading it would block the event loop.
  if (output === undefined || output.length > PROGRESS_LENGTH) return undefined
  return readProgress(JSON.parse(jsonText(output)))
}
