import { limit } from '../../contract/limits.ts'

/**
 * How long the record of a job is kept after its end, in ms. Source: spec 8.
 * @param askedWaitMs the wait that a runsync asked for; undefined where it left that to the default
 */
export function retentionMs(kind: 'run' | 'runsync', askedWaitMs: number | undefined): number {
  if (kind === 'run') return limit('runRetentionMs')
  return Math.min(Math.max(limit('runsyncRetentionMs'), askedWaitMs ?? 0), limit('runsyncRetentionMaxMs'))
}
