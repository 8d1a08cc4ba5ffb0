import { jobRecordPieces } from '../../domain/job/job-record.ts'
import { isFinal } from '../../domain/job/transitions.ts'
import type { Json } from '../../domain/json/json.ts'
import type { Job, JobStore } from '../ports.ts'

type Payloads = Pick<JobStore, 'readInput' | 'readOutput'>

/**
 * Job record as pieces of JSON, for status, runsync and status-sync.
 * @throws AppError PAYLOAD_LOST
 */
export async function readJobRecord(jobs: Payloads, job: Job): Promise<readonly Json[]> {
  const input = isFinal(job.status) ? undefined : (await jobs.readInput(job))?.input
  return jobRecordPieces({ ...job, output: await jobs.readOutput(job), input, webhook: undefined })
}

/**
 * Job record with input and webhook as JSON, for webhooks.
 * @throws AppError PAYLOAD_LOST
 */
export async function readWebhookBody(jobs: Payloads, job: Job): Promise<Json> {
  const input = (await jobs.readInput(job))?.input
  const webhook = job.webhook ?? undefined
  return joinJson(jobRecordPieces({ ...job, output: await jobs.readOutput(job), input, webhook }))
}

function joinJson(pieces: readonly Json[]): Json {
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('')
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
}
