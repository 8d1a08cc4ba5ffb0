import { SKETCH } from '../../contract/catalog.ts'
import { resourceProgram } from '../../shipped-files/resources.ts'
import { ApiError } from '../client/calls.ts'
import type { ServiceClient } from '../client/service-client.ts'
import { CliError } from './cli-error.ts'

export type Sample = {
  readonly id: string
  readonly handler: string
  readonly settings: {
    readonly workersMax?: number
    readonly idleTimeoutMs?: number
    readonly workflows?: Record<never, never>
    readonly container?: { readonly machine: string }
  }
}

export const sampleHandler = ({ handler }: Pick<Sample, 'handler'>): string => resourceProgram(handler)

export async function ensureSample(client: ServiceClient, sample: Sample): Promise<void> {
  const { id, settings } = sample
  const path = { endpointId: id }
  const handler = sampleHandler(sample)
  try {
    const endpoint = await client.call('endpointRead', { path })
    // A clone that was moved or replaced has its handler elsewhere.
    if (endpoint.handler !== handler && isOurs(endpoint.handler, sample))
      await client.call('endpointUpdate', { path, body: { handler } })
  } catch (error) {
    // The desktop calls it too, with its own errors.
    const status = error instanceof CliError || error instanceof ApiError ? error.status : undefined
    if (status !== 404) throw error
    await client.call('endpointCreate', { body: { ...settings, id, name: id, handler } })
  }
}

/** Leaves the user's own handler alone. A package has .js files, a clone .ts files. */
function isOurs(handler: string | undefined, sample: Sample): boolean {
  const withoutType = (path: string | undefined) => path?.replaceAll('\\', '/').replace(/\.[jt]s$/, '')
  return withoutType(handler)?.endsWith(`/resources/${withoutType(sample.handler)}`) === true
}

// ms: long enough to look at a picture and edit the prompt. Source: ours, a start takes half a second.
const SKETCH_IDLE_MS = 5 * 60_000

export function ensureSketch(client: ServiceClient): Promise<void> {
  const settings = { workersMax: 1, idleTimeoutMs: SKETCH_IDLE_MS, workflows: {} }
  return ensureSample(client, { id: SKETCH, handler: 'node/sketch/handler.ts', settings })
}
