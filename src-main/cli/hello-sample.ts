import { fileURLToPath } from 'node:url'
import { CliError } from './cli-error.ts'
import type { ServiceClient } from './client.ts'
import type { JobRecord } from './show-job.ts'

/** Id of the sample endpoint. */
export const HELLO = 'hello'

/** Its handler file in this installation. */
export const HELLO_HANDLER = fileURLToPath(new URL('../../resources/examples/hello/handler.py', import.meta.url))

// How long the sample may take to answer, in ms; source: ours, a cold start of Python on a busy machine and some more.
const ANSWER_WITHIN_MS = 30_000

/** Makes sure that the sample endpoint exists and runs the handler file of this installation. */
export async function ensureHello(client: ServiceClient): Promise<void> {
  const path = { endpointId: HELLO }
  try {
    const endpoint = await client.call('endpointRead', { path })
    // A clone that was moved or replaced has its handler somewhere else now.
    if (endpoint.handler !== HELLO_HANDLER && isOurs(endpoint.handler)) {
      await client.call('endpointUpdate', { path, body: { handler: HELLO_HANDLER } })
    }
  } catch (error) {
    if (!(error instanceof CliError) || error.status !== 404) throw error
    await client.call('endpointCreate', { body: { id: HELLO, name: HELLO, handler: HELLO_HANDLER } })
  }
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

/** An endpoint `hello` with a handler of the user's own is left alone. */
function isOurs(handler: string | undefined): boolean {
  return handler?.replaceAll('\\', '/').endsWith('/resources/examples/hello/handler.py') === true
}
