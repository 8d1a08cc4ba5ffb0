import type { ServiceClient } from './client.ts'
import { ensureSample, type Sample, sampleHandler } from './ensure-sample.ts'
import type { JobRecord } from './show-job.ts'

/** Id of the sample endpoint. */
export const HELLO = 'hello'

const SAMPLE: Sample = { id: HELLO, handler: 'examples/hello/handler.py', settings: {} }

/** Its handler file in this installation. */
export const HELLO_HANDLER: string = sampleHandler(SAMPLE)

// How long the sample may take to answer, in ms; source: ours, a cold start of Python on a busy machine and some more.
const ANSWER_WITHIN_MS = 30_000

/** Makes sure that the sample endpoint exists and runs the handler file of this installation. */
export function ensureHello(client: ServiceClient): Promise<void> {
  return ensureSample(client, SAMPLE)
}

/** Asks the sample once. @returns its answer, and the ms it took as the caller sees it */
export async function askHello(
  client: ServiceClient,
  signal: AbortSignal | undefined,
): Promise<{ readonly job: JobRecord; readonly tookMs: number }> {
  const began = performance.now()
  const job = await client.call('runsync', {
    path: { endpointId: HELLO },
    query: { wait: ANSWER_WITHIN_MS },
    body: { input: { name: 'world' } },
    ...(signal === undefined ? {} : { signal }),
  })
  return { job, tookMs: Math.round(performance.now() - began) }
}
