import type { JobState } from '../../../contract/job.ts'
import { limit } from '../../../contract/limits.ts'
import type { Json } from '../../../lib/json/bytes.ts'
import { isFinal } from './transitions.ts'

export type RecordFacts<Payload = Json> = {
  readonly id: string
  readonly status: JobState
  readonly delayMs: number | null
  readonly executionMs: number | null
  readonly workerId: string | null
  readonly retries: number
  readonly error: string | null
  readonly output: Payload | undefined
  readonly input: Payload | undefined
  readonly webhook: string | undefined
  readonly batchId: string | null
}

/**
 * Writes the record as JSON pieces with payloads unchanged, keys in the platform's order. Source: docs/spec/job-api.md,
 * 3.
 */
export function jobRecordPieces<Payload>(job: RecordFacts<Payload>): readonly (string | Payload)[] {
  const pieces: (string | Payload)[] = []
  const add = (name: string, value: string | Payload) =>
    pieces.push(`${pieces.length === 0 ? '{' : ','}"${name}":`, value)
  if (job.batchId !== null) add('batchId', JSON.stringify(job.batchId))
  if (job.delayMs !== null) add('delayTime', String(job.delayMs))
  if (job.error !== null) add('error', JSON.stringify(job.error))
  if (job.executionMs !== null && isFinal(job.status)) add('executionTime', String(job.executionMs))
  add('id', JSON.stringify(job.id))
  if (job.input !== undefined) add('input', job.input)
  if (job.output !== undefined) add('output', job.output)
  if (job.retries > 0) add('retries', String(job.retries))
  add('status', JSON.stringify(job.status))
  if (job.webhook !== undefined) add('webhook', JSON.stringify(job.webhook))
  if (job.workerId !== null) add('workerId', JSON.stringify(job.workerId))
  return [...pieces, '}']
}

/**
 * ms a record is kept after its end. Source: docs/spec/job-api.md, 4.
 * @param askedWaitMs requested runsync wait; undefined: the default
 */
export function retentionMs(kind: 'run' | 'runsync', askedWaitMs: number | undefined): number {
  if (kind === 'run') return limit('runRetentionMs')
  return Math.min(Math.max(limit('runsyncRetentionMs'), askedWaitMs ?? 0), limit('runsyncRetentionMaxMs'))
}

export function isExpired({ expiresAt }: { readonly expiresAt?: number | undefined }, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now
}
