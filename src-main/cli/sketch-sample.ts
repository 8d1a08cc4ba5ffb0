import type { ServiceClient } from '../client/service-client.ts'
import { SKETCH } from '../contract/catalog.ts'
import { ensureSample } from './ensure-sample.ts'

// Long enough to look at a picture and to change the prompt, in ms; source: ours, a start of it takes half a second.
const IDLE_MS = 5 * 60_000

/** Makes sure that there is an endpoint that runs image workflows: the stand-in, which needs no card and no weights. */
export function ensureSketch(client: ServiceClient): Promise<void> {
  const settings = { workersMax: 1, idleTimeoutMs: IDLE_MS, workflows: {} }
  return ensureSample(client, { id: SKETCH, handler: 'node/sketch/handler.ts', settings })
}
