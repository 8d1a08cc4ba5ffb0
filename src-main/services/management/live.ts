import type { LiveSnapshot } from '../../contract/live.ts'
import { type ViewDeps, viewEndpoint, viewWorker } from './views.ts'

/**
 * All endpoints and workers as they are now, with the number of the last event: whoever holds it can apply the events
 * that come after it. All but that number is from memory.
 * @param service its address, without a slash at the end, and how its command line was called
 */
export function readLive(
  deps: ViewDeps,
  { url, command }: { readonly url: string; readonly command: string },
): LiveSnapshot {
  const { storage, clock, counts, registry } = deps
  return {
    eventId: storage.events.lastId(),
    at: clock.now(),
    endpoints: storage.endpoints.all().map((endpoint) => {
      const { normal, lowPriority, inProgress } = counts.of(endpoint.id)
      return { ...viewEndpoint(deps, endpoint, url), inQueue: normal + lowPriority, inProgress }
    }),
    workers: registry.all().map((worker) => viewWorker(deps, worker)),
    command,
  }
}
