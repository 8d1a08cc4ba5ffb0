import { jobRecordText } from '../../domain/job/job-record.ts'
import { isFinal } from '../../domain/job/transitions.ts'
import type { Job, JobStore } from '../ports.ts'

/** Job record as JSON text, for status, runsync and status-sync. */
export function readJobRecord(jobs: Pick<JobStore, 'readInput' | 'readOutput'>, job: Job): string {
  return jobRecordText({
    ...job,
    output: jobs.readOutput(job.seq),
    input: isFinal(job.status) ? undefined : jobs.readInput(job.seq)?.input,
    webhook: undefined,
  })
}

/** Job record with input and webhook as JSON text, for webhooks. */
export function readWebhookBody(jobs: Pick<JobStore, 'readInput' | 'readOutput'>, job: Job): string {
  return jobRecordText({
    ...job,
    output: jobs.readOutput(job.seq),
    input: jobs.readInput(job.seq)?.input,
    webhook: job.webhook ?? undefined,
  })
}
