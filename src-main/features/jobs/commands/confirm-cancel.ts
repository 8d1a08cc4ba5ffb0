import { canAsk, confirmChange, confirmDeletion, type Deletion } from '../../../app/cli/ask.ts'
import type { Session } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { CancelledJobs } from '../../../contract/job-routes.ts'
import { counted } from '../../../lib/text.ts'
import { otherJobsText } from '../../workers/rules/shared-workers.ts'

export type CancelOptions = { readonly yes?: true | undefined }

export async function confirmCancel(
  { yes, jobId }: CancelOptions & { readonly jobId: string },
  { client, output }: Session,
  surroundings: Surroundings,
): Promise<void> {
  if (yes || !canAsk(output, surroundings)) return
  const { running, others } = await client.call('jobCancelEffects', { body: { ids: [jobId] } })
  if (others === 0) return
  output.note(otherJobsText(others, running))
  await confirmChange({ question: 'Cancel the job?' }, output, surroundings)
}

type BulkCancel = Pick<Deletion, 'find'> &
  CancelOptions & {
    readonly jobs: CancelledJobs
    readonly verb?: 'cancel' | 'stop'
    /** Names the jobs with their number: `many('job')` is like `5 jobs`. */
    readonly what: (many: (noun: string) => string) => string
  }

/**
 * Confirms a cancel of many jobs, and warns of others that it may restart.
 * @throws CliError UNCONFIRMED if nobody can be asked, ABANDONED after a no
 */
export async function confirmBulkCancel(
  { yes, what, verb = 'cancel', jobs, find }: BulkCancel,
  { client, output }: Session,
  surroundings: Surroundings,
): Promise<void> {
  if (yes) return
  await find?.()
  const { count, more, running, others } = await client.call('jobCancelEffects', { body: jobs })
  if (others > 0 && canAsk(output, surroundings)) output.note(otherJobsText(others, running))
  const named = what((noun) => `${more ? 'more than ' : ''}${counted(count, noun)}`)
  const question = `${verb === 'stop' ? 'Stop' : 'Cancel'} ${named}?`
  await confirmDeletion({ what: named, question, verb }, output, surroundings)
}
