import { limit } from '../../src-main/contract/limits.ts'
import type { ServedService } from './served-service.ts'

/** Clients that submit at the same time; source: docs/spec/targets.md, 2.1. */
const CLIENTS = 16
// One of so many jobs has an input that is stored in a file of its own.
const LARGE_EACH = 10
const LARGE = 'x'.repeat(limit('payloadInRowBytes'))

/**
 * Submits jobs from 16 clients at once, each with its number as `n` and some with a large payload, until `most` are
 * acknowledged or the service is gone. A client that got no answer submits no more.
 * @param onAcknowledged hears how many are acknowledged so far
 * @returns the number of each acknowledged job by its id
 */
export async function submitLoad(
  service: Pick<ServedService, 'ask'>,
  endpointId: string,
  { most, onAcknowledged = () => undefined }: { most: number; onAcknowledged?: (count: number) => void },
): Promise<ReadonlyMap<string, number>> {
  const acknowledged = new Map<string, number>()
  let next = 0
  const refused: unknown[] = []

  async function client(): Promise<void> {
    while (next < most) {
      const n = next++
      // The service may be killed at any moment: that is what the test is about.
      const answer = await service
        .ask('POST', `/v2/${endpointId}/run`, { input: n % LARGE_EACH === 0 ? { n, pad: LARGE } : { n } })
        .catch(() => undefined)
      if (answer === undefined) return
      if (answer.status === 200) {
        acknowledged.set(answer.body.id, n)
        onAcknowledged(acknowledged.size)
      } else refused.push(answer)
    }
  }

  await Promise.all(Array.from({ length: CLIENTS }, client))
  // A service that stops in order says so with 503; anything else is no answer to a good request.
  const wrong = refused.filter((answer) => (answer as { status: number }).status !== 503)
  if (wrong.length > 0) throw new Error(`a good request was refused: ${JSON.stringify(wrong[0])}`)
  return acknowledged
}

/** Runs work on many things, `atOnce` at a time. */
export async function withClients<T>(
  things: Iterable<T>,
  work: (thing: T) => Promise<void>,
  atOnce: number = CLIENTS,
): Promise<void> {
  const left = [...things].values()
  const client = async () => {
    for (const thing of left) await work(thing)
  }
  await Promise.all(Array.from({ length: atOnce }, client))
}
