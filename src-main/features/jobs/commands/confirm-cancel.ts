import { canAsk, confirmChange, confirmDeletion, type Deletion } from '../../../app/cli/ask.ts'
import type { Session } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { CancelledJobs } from '../../../contract/job-routes.ts'
import { otherJobsText } from '../../workers/rules/shared-workers.ts'

export type CancelOptions = { readonly yes?: true | undefined }

/**
 * Confirms a cancel of one job that may restart other jobs.
 * @throws CliError ABANDONED after a no
 */
export async function confirmCancel(
  { yes, jobId }: CancelOptions & { readonly jobId: string },
  session: Session,
  surroundings: Surroundings,
): Promise<void> {
  const { output } = session
  if (yes || !canAsk(output, surroundings)) return
  const others = await otherJobs({ ids: [jobId] }, session)
  if (others === undefined) return
  output.note(others)
  await confirmChange({ yes, question: 'Cancel the job?' }, output, surroundings)
}

type BulkCancel = Pick<Deletion, 'what' | 'find'> &
  CancelOptions & { readonly jobs: CancelledJobs; readonly verb?: 'cancel' | 'stop' }

/**
 * Confirms a cancel of many jobs; warns of other jobs that it may restart.
 * @throws CliError UNCONFIRMED if nobody can be asked, ABANDONED after a no
 */
export async function confirmBulkCancel(
  { yes, what, verb = 'cancel', jobs, find }: BulkCancel,
  session: Session,
  surroundings: Surroundings,
): Promise<void> {
  const { output } = session
  const warn = async () => {
    await find?.()
    const others = await otherJobs(jobs, session)
    if (others !== undefined && canAsk(output, surroundings)) output.note(others)
  }
  const question = `${verb === 'stop' ? 'Stop' : 'Cancel'} ${what}?`
  await confirmDeletion({ yes, what, question, verb, find: warn }, output, surroundings)
}

async function otherJobs(jobs: CancelledJobs, { client }: Session): Promise<string | undefined> {
  const { running, others } = await client.call('jobCancelEffects', { body: jobs })
  return others === 0 ? undefined : otherJobsText(others, running)
}
