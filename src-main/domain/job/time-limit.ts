/** Which jobs a time limit stopped. The job API calls one that ran too long FAILED; people look for it under timed out. */
import type { JobState } from '../../contract/job.ts'
import type { JobEvent } from './transitions.ts'

/** Error of a job that ran longer than its executionTimeout. Source: docs/spec/job-api.md, 4. */
export const TIME_LIMIT_ERROR = 'executionTimeout exceeded'

/** Whether a time limit stopped a job: its ttl or its executionTimeout. */
export function isTimedOut({
  status,
  error,
}: {
  readonly status: JobState
  readonly error?: string | null | undefined
}): boolean {
  return status === 'TIMED_OUT' || (status === 'FAILED' && error === TIME_LIMIT_ERROR)
}

/** Why such a job has no output, for people. */
export const TIME_LIMIT_TEXT = 'Timed out: it ran longer than its execution timeout, so it was stopped.'

/** The states under which lists find a job after a move. */
export function foundUnder({ event, to }: { readonly event: string; readonly to: JobState }): readonly JobState[] {
  return event === ('exceedExecution' satisfies JobEvent) ? [to, 'TIMED_OUT'] : [to]
}
