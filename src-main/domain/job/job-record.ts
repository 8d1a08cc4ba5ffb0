import type { JobState } from '../../contract/job.ts'
import { isFinal } from './transitions.ts'

/** What a record is written from. `output` and `input` are JSON text. Spans in ms. */
export type RecordFacts = {
  readonly id: string
  readonly status: JobState
  readonly delayMs: number | null
  readonly executionMs: number | null
  readonly workerId: string | null
  readonly retries: number
  readonly error: string | null
  readonly output: string | undefined
  readonly input: string | undefined
  readonly webhook: string | undefined
}

/**
 * Writes the job record as JSON text, with the payloads as the text that came. The keys are in the order that the
 * platform shows them. Source: job-api, Job record.
 */
export function jobRecordText(job: RecordFacts): string {
  const parts: string[] = []
  if (job.delayMs !== null) parts.push(`"delayTime":${job.delayMs}`)
  if (job.error !== null) parts.push(`"error":${JSON.stringify(job.error)}`)
  if (job.executionMs !== null && isFinal(job.status)) parts.push(`"executionTime":${job.executionMs}`)
  parts.push(`"id":${JSON.stringify(job.id)}`)
  if (job.input !== undefined) parts.push(`"input":${job.input}`)
  if (job.output !== undefined) parts.push(`"output":${job.output}`)
  if (job.retries > 0) parts.push(`"retries":${job.retries}`)
  parts.push(`"status":"${job.status}"`)
  if (job.webhook !== undefined) parts.push(`"webhook":${JSON.stringify(job.webhook)}`)
  if (job.workerId !== null) parts.push(`"workerId":${JSON.stringify(job.workerId)}`)
  return `{${parts.join(',')}}`
}
