import { limit } from '../../contract/limits.ts'

/**
 * How long the record of a job is kept after its end, in ms. Source: spec 8.
 * @param waitMs the wait that runsync asked for; undefined for run
 */
export function retentionMs(waitMs: number | undefined): number {
  if (waitMs === undefined) return limit('runRetentionMs')
  return Math.min(Math.max(limit('runsyncRetentionMs'), waitMs), limit('runsyncRetentionMaxMs'))
}
