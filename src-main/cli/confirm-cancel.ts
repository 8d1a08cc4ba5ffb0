/** The question before running jobs are cancelled, where other jobs of their workers may start again. */
import { otherJobsOf, otherJobsText } from '../domain/worker/shared-workers.ts'
import { canAsk, confirmChange } from './ask.ts'
import type { Session } from './session.ts'
import type { Surroundings } from './surroundings.ts'

/** Jobs that are to be cancelled. */
type Cancelled = {
  /** `--yes` was given. */
  readonly yes: true | undefined
  /** Only workers of this endpoint are looked at; undefined: all. */
  readonly endpointId: string | undefined
  /** Their ids; those that do not run may be missing. Called only where somebody can be asked. */
  readonly jobIds: () => Promise<readonly string[]>
}

/** Asks a person at a terminal before a cancel that may restart other jobs. @throws CliError ABANDONED after a no */
export async function confirmCancel(
  { yes, endpointId, jobIds }: Cancelled,
  { client, output }: Pick<Session, 'client' | 'output'>,
  surroundings: Surroundings,
): Promise<void> {
  if (yes || !canAsk(output, surroundings)) return
  const [ids, { workers }] = await Promise.all([
    jobIds(),
    client.call('workerList', { query: { endpoint: endpointId } }),
  ])
  const others = otherJobsOf(workers, new Set(ids)).length
  if (others === 0) return
  output.note(otherJobsText(others, ids.length))
  await confirmChange(
    { yes, question: ids.length === 1 ? 'Cancel the job?' : 'Cancel these jobs?' },
    output,
    surroundings,
  )
}
