/** What pages ask of single jobs. */
import { queryOptions } from '@tanstack/react-query'
import type { AnswerOf, ApiClient } from './client.ts'

/** A job with all that is known of it. */
export type JobDetail = AnswerOf<'jobRead'>

// The reason why a job waits changes with time alone; so do the tries of a webhook, which are no events.
const WAITING_EVERY_MS = 3000
const DELIVERING_EVERY_MS = 1000

/** One job. Not shared piece by piece with what was there before: an output of megabytes would be walked through. */
export const jobQuery = (client: ApiClient, jobId: string) =>
  queryOptions({
    queryKey: ['job', jobId],
    queryFn: ({ signal }) => client.call('jobRead', { path: { jobId }, signal }),
    structuralSharing: false,
    refetchInterval: ({ state: { data } }) => {
      if (data?.status === 'IN_QUEUE') return WAITING_EVERY_MS
      return data?.deliveries.some(({ state }) => state === 'pending') ? DELIVERING_EVERY_MS : false
    },
  })
