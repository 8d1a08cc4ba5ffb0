import { limit } from '../contract/limits.ts'
import { isFinal } from '../domain/job/transitions.ts'
import type { ServiceClient } from './client.ts'
import type { JobRecord } from './show-job.ts'

/** A job by endpoint and id. */
export type JobAddress = { readonly endpointId: string; readonly jobId: string }

/**
 * Reads the arguments `[ENDPOINT] JOB`: with one of them the service is asked where the job is.
 * @throws CliError SERVICE_REFUSED where the job is unknown
 */
export async function jobAddress(
  client: ServiceClient,
  first: string,
  second: string | undefined,
): Promise<JobAddress> {
  if (second !== undefined) return { endpointId: first, jobId: second }
  const { endpointId } = await client.call('jobRead', { path: { jobId: first } })
  return { endpointId, jobId: first }
}

/** Waits until a job has ended. */
export async function waitForEnd(client: ServiceClient, path: JobAddress): Promise<JobRecord> {
  for (;;) {
    const job = await client.call('statusSync', { path, query: { wait: limit('waitMaxMs') } })
    if (isFinal(job.status)) return job
  }
}
