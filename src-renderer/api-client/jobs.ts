/**
 * Jobs as pages ask for them: one job, kept up to date by `live/live-queries.ts`, and one that is run and waited for.
 */
import { queryOptions } from '@tanstack/react-query'
import type { ResponseOf } from '../../src-main/client/calls.ts'
import { isFinal } from '../../src-main/domain/job/transitions.ts'
import type { ApiClient } from './client.ts'

/** A job with all that is known of it. */
export type JobDetail = ResponseOf<'jobRead'>

/** How often a job that waits is read again, ms: the reason why it waits changes with time alone. */
export const WAITING_EVERY_MS = 3000
// So do the tries of a webhook, which are no events.
const DELIVERING_EVERY_MS = 1000

/** One job. Not shared piece by piece with what was there before: an output of megabytes would be walked through. */
export const jobQuery = (client: ApiClient, jobId: string) =>
  queryOptions({
    queryKey: ['job', jobId],
    queryFn: ({ signal }) => client.call('jobRead', { path: { jobId }, signal }),
    structuralSharing: false,
    enabled: jobId !== '',
    refetchInterval: ({ state: { data } }) => {
      if (data?.status === 'IN_QUEUE') return WAITING_EVERY_MS
      return data?.deliveries.some(({ state }) => state === 'pending') ? DELIVERING_EVERY_MS : false
    },
  })

/** A job with longer beginnings of its payloads. */
export const jobPreviewQuery = (client: ApiClient, jobId: string) =>
  queryOptions({
    queryKey: ['job-preview', jobId],
    queryFn: ({ signal }) => client.call('jobPreview', { path: { jobId }, signal }),
  })

/** What the job API says of a job: its state, and once it has ended its output or error. */
export type JobRecord = ResponseOf<'status'>

/** A request that becomes a job. `body` is sent as it is. */
type JobOrder = { readonly endpointId: string; readonly body: string; readonly signal: AbortSignal }

// As long as a job may be waited for at once; then it is asked again.
const WAIT_MS = 90_000

/** Runs a job and waits for its end. @param onJob hears its id as soon as it is known @throws ApiError */
export async function runJob(
  client: Pick<ApiClient, 'call'>,
  { endpointId, body, signal }: JobOrder,
  onJob: (jobId: string) => void = () => undefined,
): Promise<JobRecord> {
  const record = await client.call('runsync', {
    path: { endpointId },
    query: { wait: WAIT_MS },
    bodyText: body,
    signal,
  })
  onJob(record.id)
  return isFinal(record.status) ? record : waitForJob(client, { endpointId, signal }, record.id)
}

/** Waits for the end of a job. @throws ApiError */
export async function waitForJob(
  client: Pick<ApiClient, 'call'>,
  { endpointId, signal }: Omit<JobOrder, 'body'>,
  jobId: string,
): Promise<JobRecord> {
  for (;;) {
    const record = await client.call('statusSync', { path: { endpointId, jobId }, query: { wait: WAIT_MS }, signal })
    if (isFinal(record.status)) return record
  }
}
