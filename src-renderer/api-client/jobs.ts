import { queryOptions } from '@tanstack/react-query'
import type { ResponseOf } from '../../src-main/app/client/calls.ts'
import { isFinal } from '../../src-main/features/jobs/rules/transitions.ts'
import { read } from '../browser/read.ts'
import type { ApiClient } from './client.ts'

export type JobDetail = ResponseOf<'jobRead'>

/** Poll interval of open jobs, ms: neither a waiting reason nor a chunk emits an event. */
export const OPEN_EVERY_MS = 3000
// Polled, because the attempts of a webhook emit no events.
const DELIVERING_EVERY_MS = 1000

/** Without structural sharing, which would walk outputs of megabytes. */
export const jobQuery = (client: ApiClient, jobId: string) =>
  queryOptions({
    ...read(client, ['job', jobId], 'jobRead', { path: { jobId } }),
    structuralSharing: false,
    enabled: jobId !== '',
    refetchInterval: ({ state: { data } }) => {
      if (data !== undefined && !isFinal(data.status)) return OPEN_EVERY_MS
      return data?.deliveries.some(({ state }) => state === 'pending') ? DELIVERING_EVERY_MS : false
    },
  })

export const jobPreviewQuery = (client: ApiClient, jobId: string) =>
  read(client, ['job-preview', jobId], 'jobPreview', { path: { jobId } })

export type JobRecord = ResponseOf<'status'>

type JobOrder = { readonly endpointId: string; readonly body: string; readonly signal: AbortSignal }

// Longest wait per request; then it is asked again.
const WAIT_MS = 90_000

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
