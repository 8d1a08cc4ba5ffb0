/** What is counted of a batch, for commands and pages alike. */
import type { BatchView } from '../../contract/job-routes.ts'

/** Inputs of a batch from which nothing more will come. */
export const endedIn = ({ total, unsent, jobs }: BatchView): number => total - unsent - jobs.IN_QUEUE - jobs.IN_PROGRESS

/** Inputs of a batch that failed or became no job. */
export const failedIn = ({ jobs, refused }: BatchView): number => jobs.FAILED + jobs.TIMED_OUT + refused
