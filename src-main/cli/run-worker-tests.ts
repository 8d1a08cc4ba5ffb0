/** The jobs of a worker repository, run one after the other on an endpoint made for them. */
import type { ServiceClient } from '../client/service-client.ts'
import { errorText } from '../domain/job/read-error.ts'
import { writeExact } from '../domain/json/json.ts'
import { executionTimeoutMs } from '../domain/platform/endpoint-settings.ts'
import { type Followed, type FollowOptions, waitForEnd } from './follow-job.ts'
import { duration } from './output.ts'
import type { WorkerTest } from './worker-repository.ts'

/** How a test went. Spans in ms. */
export type TestResult = {
  readonly name: string
  readonly passed: boolean
  readonly jobId: string
  readonly status: string
  /** Until a worker had it: its start is in it. */
  readonly delayMs: number | undefined
  readonly executionMs: number | undefined
  readonly timeoutMs: number
  /** Why it failed. */
  readonly why: string | undefined
  readonly output: unknown
}

/** Sends a test as a job and follows it to its end, or until waiting cannot help. */
export async function runWorkerTest(
  client: ServiceClient,
  {
    endpointId,
    test,
    defaultMs,
  }: { readonly endpointId: string; readonly test: WorkerTest; readonly defaultMs: number },
  options: Omit<FollowOptions, 'until'>,
): Promise<TestResult> {
  const timeoutMs = test.timeoutMs ?? defaultMs
  const executionTimeout = executionTimeoutMs(Math.ceil(timeoutMs))
  const body = { input: test.input, policy: { executionTimeout } }
  const { id } = await client.call('run', { path: { endpointId }, bodyText: writeExact(body) })
  const followed = await waitForEnd(client, { endpointId, jobId: id }, options)
  const why = whyFailed(followed, timeoutMs)
  const { status, delayTime, executionTime, output } = followed.job
  return {
    name: test.name,
    passed: why === undefined,
    jobId: id,
    status,
    delayMs: delayTime,
    executionMs: executionTime,
    timeoutMs,
    why,
    output,
  }
}

/** Why a test failed; undefined: it passed. A shorter limit than jobs can have is compared here. */
function whyFailed({ job, reason }: Followed, timeoutMs: number): string | undefined {
  if (reason !== undefined) return reason.text
  if (job.status !== 'COMPLETED') return job.error === undefined ? `it ended as ${job.status}` : errorText(job.error)
  const { executionTime = 0 } = job
  if (executionTime > timeoutMs) return `it ran ${duration(executionTime)}, longer than ${duration(timeoutMs)}`
  return undefined
}
