/** Jobs stopped by a time limit: FAILED in the job API, but people look for "timed out". */
import type { JobState } from '../../../contract/job.ts'
import type { JobEvent } from './transitions.ts'

/** Source: docs/spec/job-api.md, 4. */
export const TIME_LIMIT_ERROR = 'executionTimeout exceeded'

export function isTimedOut({
  status,
  error,
}: {
  readonly status: JobState
  readonly error?: string | null | undefined
}): boolean {
  return status === 'TIMED_OUT' || (status === 'FAILED' && error === TIME_LIMIT_ERROR)
}

export const TIME_LIMIT_TEXT = 'Timed out: it ran longer than its execution timeout, so it was stopped.'

export function foundUnder({ event, to }: { readonly event: string; readonly to: JobState }): readonly JobState[] {
  return event === ('exceedExecution' satisfies JobEvent) ? [to, 'TIMED_OUT'] : [to]
}
