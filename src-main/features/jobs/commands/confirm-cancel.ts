import { canAsk, confirmChange } from '../../../app/cli/ask.ts'
import type { Session } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { CancelledJobs } from '../../../contract/job-routes.ts'
import { otherJobsText } from '../../workers/rules/shared-workers.ts'

/** `-y, --yes` of a cancel that may ask. */
export type CancelOptions = { readonly yes?: true | undefined }

/**
 * Confirms a cancel that may restart other jobs.
 * @throws CliError ABANDONED after a no
 */
export async function confirmCancel(
  { yes, jobs, question }: CancelOptions & { readonly jobs: CancelledJobs; readonly question: string },
  { client, output }: Pick<Session, 'client' | 'output'>,
  surroundings: Surroundings,
): Promise<void> {
  if (yes || !canAsk(output, surroundings)) return
  const { running, others } = await client.call('jobCancelEffects', { body: jobs })
  if (others === 0) return
  output.note(otherJobsText(others, running))
  await confirmChange({ yes, question }, output, surroundings)
}
