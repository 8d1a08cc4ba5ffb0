import type { BatchView } from '../../../contract/job-routes.ts'

export const endedIn = ({ total, unsent, jobs }: BatchView): number => total - unsent - jobs.IN_QUEUE - jobs.IN_PROGRESS

export const failedIn = ({ jobs, refused }: BatchView): number => jobs.FAILED + jobs.TIMED_OUT + refused
