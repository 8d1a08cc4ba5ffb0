import type { ServiceClient } from '../client/service-client.ts'
import { HELLO, HELLO_INPUT } from '../contract/catalog.ts'
import { isFinal } from '../domain/job/transitions.ts'
import { CliError } from './cli-error.ts'
import { ensureSample, type Sample, sampleHandler } from './ensure-sample.ts'
import { type Followed, runAndWait } from './follow-job.ts'

const SAMPLE: Sample = { id: HELLO, handler: 'examples/hello/handler.py', settings: {} }

/** Its handler file in this installation. */
export const HELLO_HANDLER: string = sampleHandler(SAMPLE)

// How long the sample may take to answer, in ms; source: ours, a cold start of Python on a busy machine and some more.
const RESPONSE_WITHIN_MS = 30_000

/** Makes sure that the sample endpoint exists and runs the handler file of this installation. */
export function ensureHello(client: ServiceClient): Promise<void> {
  return ensureSample(client, SAMPLE)
}

/**
 * Asks the sample once. Its job leaves the history, which belongs to the user.
 * @returns its response, why there is none yet, and the ms it took as the caller sees it
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
    // It has ended meanwhile, or the service that runs here is older: the answer counts.
    if (!(error instanceof CliError)) throw error
  }
}
