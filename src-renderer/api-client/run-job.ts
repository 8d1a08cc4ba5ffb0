import type { AnswerOf, ApiClient } from './client.ts'

/** Record of a job. */
export type JobRecord = AnswerOf<'status'>

/** A request that becomes a job. `body` is sent as it is. */
export type JobOrder = { readonly endpointId: string; readonly body: string; readonly signal: AbortSignal }

// As long as a job may be waited for at once; then it is asked again.
const WAIT_MS = 90_000

const isOpen = ({ status }: Pick<JobRecord, 'status'>) => status === 'IN_QUEUE' || status === 'IN_PROGRESS'

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
  return isOpen(record) ? waitForJob(client, { endpointId, signal }, record.id) : record
}

/** Waits for the end of a job. @throws ApiError */
export async function waitForJob(
  client: Pick<ApiClient, 'call'>,
  { endpointId, signal }: Omit<JobOrder, 'body'>,
  jobId: string,
): Promise<JobRecord> {
  for (;;) {
    const record = await client.call('statusSync', { path: { endpointId, jobId }, query: { wait: WAIT_MS }, signal })
    if (!isOpen(record)) return record
  }
}
