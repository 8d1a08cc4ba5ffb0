import { HELLO, HELLO_INPUT } from '../../contract/catalog.ts'
import { type Followed, runAndWait } from '../../features/jobs/commands/follow-job.ts'
import { isFinal } from '../../features/jobs/rules/transitions.ts'
import type { ServiceClient } from '../client/service-client.ts'
import { CliError } from './cli-error.ts'
import { ensureSample, type Sample, sampleHandler } from './ensure-sample.ts'

const SAMPLE: Sample = { id: HELLO, handler: 'examples/hello/handler.py', settings: {} }

export const HELLO_HANDLER: string = sampleHandler(SAMPLE)

// Time limit for the sample's response, ms; source: ours, a cold start of Python on a busy machine with a margin.
const RESPONSE_WITHIN_MS = 30_000

export function ensureHello(client: ServiceClient): Promise<void> {
  return ensureSample(client, SAMPLE)
}

/**
 * Removes its job from the user's history.
 * @returns the response, the reason for its absence, and ms as the caller measures them
 */
export async function askHello(
  client: ServiceClient,
  signal: AbortSignal | undefined,
): Promise<Followed & { readonly tookMs: number }> {
  const now = () => performance.now()
  const began = now()
  const request = { endpointId: HELLO, body: { input: HELLO_INPUT }, waitMs: RESPONSE_WITHIN_MS }
  const followed = await runAndWait(client, request, { show: () => undefined, now, signal })
  const tookMs = Math.round(now() - began)
  await forget(client, followed.job)
  return { ...followed, tookMs }
}

async function forget(client: ServiceClient, { id, status }: Followed['job']): Promise<void> {
  try {
    if (!isFinal(status)) await client.call('cancel', { path: { endpointId: HELLO, jobId: id } })
    await client.call('jobDelete', { path: { jobId: id } })
  } catch (error) {
    if (!(error instanceof CliError)) throw error
  }
}
