import { resourceProgram } from '../app-builder/machine-tools.ts'
import { ApiError } from '../client/calls.ts'
import type { ServiceClient } from '../client/service-client.ts'
import { SKETCH } from '../contract/catalog.ts'
import { CliError } from './cli-error.ts'

/** An endpoint that comes with Drydock. */
export type Sample = {
  readonly id: string
  /** Its handler file within resources. */
  readonly handler: string
  readonly settings: {
    readonly workersMax?: number
    readonly idleTimeoutMs?: number
    readonly workflows?: Record<never, never>
    readonly container?: { readonly machine: string }
  }
}

/** The handler file of a sample in this installation. */
export const sampleHandler = ({ handler }: Pick<Sample, 'handler'>): string => resourceProgram(handler)

/** Makes sure that a sample exists and runs the handler file of this installation. */
export async function ensureSample(client: ServiceClient, sample: Sample): Promise<void> {
  const { id, settings } = sample
  const path = { endpointId: id }
  const handler = sampleHandler(sample)
  try {
    const endpoint = await client.call('endpointRead', { path })
    // A clone that was moved or replaced has its handler somewhere else now.
    if (endpoint.handler !== handler && isOurs(endpoint.handler, sample))
      await client.call('endpointUpdate', { path, body: { handler } })
  } catch (error) {
    // The desktop calls it too, with errors of its own.
    const status = error instanceof CliError || error instanceof ApiError ? error.status : undefined
    if (status !== 404) throw error
    await client.call('endpointCreate', { body: { ...settings, id, name: id, handler } })
  }
}

/**
 * An endpoint of that name with a handler of the user's own is left alone. A package has a .js where a clone has a .ts.
 */
function isOurs(handler: string | undefined, sample: Sample): boolean {
  const withoutType = (path: string | undefined) => path?.replaceAll('\\', '/').replace(/\.[jt]s$/, '')
  return withoutType(handler)?.endsWith(`/resources/${withoutType(sample.handler)}`) === true
}

// Long enough to look at a picture and to change the prompt, in ms; source: ours, a start of it takes half a second.
const SKETCH_IDLE_MS = 5 * 60_000

/** Makes sure that there is an endpoint that runs image workflows: the stand-in, which needs no card and no weights. */
export function ensureSketch(client: ServiceClient): Promise<void> {
  const settings = { workersMax: 1, idleTimeoutMs: SKETCH_IDLE_MS, workflows: {} }
  return ensureSample(client, { id: SKETCH, handler: 'node/sketch/handler.ts', settings })
}
