// A sentence; a preview of a picture is longer, and is not read for it.
const PROGRESS_MAX = 4000

/**
 * Why a job that its worker has already taken waits all the same: the bridge reports it while the server behind it does
 * not answer, as `{"waiting": "..."}`. Source: ours, so that a start of a minute is told from a job that hangs.
 * @param progress JSON of what the worker reported last
 * @returns undefined where it does not wait
 */
export function reportedWait(progress: string): string | undefined {
  if (progress.length > PROGRESS_MAX) return undefined
  const value: unknown = JSON.parse(progress)
  if (typeof value !== 'object' || value === null || !('waiting' in value)) return undefined
  return typeof value.waiting === 'string' && value.waiting !== '' ? value.waiting : undefined
}
