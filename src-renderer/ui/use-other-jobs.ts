/** Jobs that a cancel may restart: those which run on the same workers. */
import { otherJobsOf } from '../../src-main/domain/worker/shared-workers.ts'
import { useAppState } from '../store/app-context.ts'

/** How many other jobs run on the workers of these jobs now. @param jobIds jobs that may be cancelled */
export function useOtherJobs(jobIds: readonly string[]): number {
  return useAppState(({ live }) => otherJobsOf(Object.values(live.workers), new Set(jobIds)).length)
}
