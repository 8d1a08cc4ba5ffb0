import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { type Output, stateText } from '../../../app/cli/output.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { ResponseOf } from '../../../app/client/calls.ts'
import type { QueueStatus } from '../../../contract/management.ts'
import { ago } from '../../../lib/text.ts'
import { isFinal } from '../rules/transitions.ts'
import { jobAddress, queueStatusOf, readExpired } from './follow-job.ts'
import { showJob } from './show-job.ts'

export function addStatus(status: CliCommand, surroundings: Surroundings): void {
  status
    .argument('<endpoint-or-job>', 'id of the endpoint, or only the id of the job')
    .argument('[job]', 'id of the job')
    .option('--history', 'show every state change of the job with its time and reason')
    .details(`
The exit code is 0 whatever the state of the job; run --wait, runsync and stream tell success from failure.
With --json a waiting job also has waitingReason and queue, and waitingNeedsChange if waiting does not help.

Examples:
  $ drydock status hello 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1
  $ drydock status 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1 --history
  $ drydock status 4f0c9d0e-5a53-4a0e-9a55-0f6f1a1f9f31-l1 --json`)
    .onSession(async ({ client, output }, first: string, second: string | undefined, options: { history?: true }) => {
      const path = await jobAddress(client, first, second)
      if (options.history === true) {
        const job = await client.call('jobRead', { path })
        showHistory(output, job, surroundings.now())
        if (job.expiresAt !== undefined && job.expiresAt <= surroundings.now()) noteExpired(output, job)
        return
      }
      const job = await client.call('status', { path }).catch((error: unknown) => readExpired(client, path, error))
      const isEnded = isFinal(job.status)
      const { warnings, waitingReason, waitingNeedsChange, queue }: QueueStatus =
        output.json && isEnded ? {} : await queueStatusOf(client, path)
      const status = isEnded ? { warnings } : { warnings, waitingReason, waitingNeedsChange, queue }
      // The job API says only what the platform's says; this adds why a job waits.
      if (output.json) output.document({ ...job, ...status })
      else showJob(output, path.endpointId, job, { ...status, now: surroundings.now() })
      if ('expiresAt' in job) noteExpired(output, job)
    })
}

function showHistory(output: Output, job: ResponseOf<'jobRead'>, now: number): void {
  showJob(output, job.endpointId, job, { ...job, now })
  if (output.json) return
  output.line()
  output.table(
    ['WHEN', 'MOVE', 'STATE', 'TRY', 'WORKER', 'REASON'],
    job.history.map((entry) => [
      ago(entry.at, now),
      entry.event,
      stateText(output, { status: entry.to }),
      String(entry.attempt),
      entry.workerId ?? '',
      entry.reason ?? '',
    ]),
  )
}

function noteExpired(output: Output, { id, outputRemoved }: Pick<ResponseOf<'jobRead'>, 'id' | 'outputRemoved'>): void {
  output.note(
    `Expired for the API, which answers 404 for it as in production. To run it again as a new job: drydock retry ${id} --new`,
  )
  if (outputRemoved === true) output.note('Its output was deleted to make room; see the setting jobHistoryMaxMib.')
}
