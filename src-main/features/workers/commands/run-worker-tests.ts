import { duration } from '../../../app/cli/output.ts'
import type { ServiceClient } from '../../../app/client/service-client.ts'
import { writeExact } from '../../../lib/json/plain.ts'
import type { WorkerTest } from '../../endpoints/commands/worker-repository.ts'
import { type Followed, type FollowOptions, waitForEnd } from '../../jobs/commands/follow-job.ts'
import { errorText } from '../../jobs/rules/read-error.ts'
import { executionTimeoutMs } from '../../platform-api/rules/endpoint-settings.ts'

export type TestResult = {
  readonly name: string
  readonly passed: boolean
  readonly jobId: string
  readonly status: string
  /** ms until a worker took it, including the worker's start. */
  readonly delayMs: number | undefined
  readonly executionMs: number | undefined
  readonly timeoutMs: number
  readonly why: string | undefined
  readonly output: unknown
}

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

function whyFailed({ job, reason }: Followed, timeoutMs: number): string | undefined {
  if (reason !== undefined) return reason.text
  if (job.status !== 'COMPLETED') return job.error === undefined ? `it ended as ${job.status}` : errorText(job.error)
  const { executionTime = 0 } = job
  if (executionTime > timeoutMs) return `it ran ${duration(executionTime)}, longer than ${duration(timeoutMs)}`
  return undefined
}
