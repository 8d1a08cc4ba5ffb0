/** Finds jobs that a cancel may restart, since they run on the same workers. */
import { otherJobsOf } from '../../src-main/features/workers/rules/shared-workers.ts'
import { useAppState } from '../store/app-context.ts'

export function useOtherJobs(jobIds: readonly string[]): number {
  return useAppState(({ live }) => otherJobsOf(Object.values(live.workers), new Set(jobIds)).length)
}
