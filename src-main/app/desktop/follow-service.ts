import type { JobState } from '../../contract/job.ts'
import { type ServiceEvent, serviceEvent } from '../../contract/live.ts'
import { isFinal } from '../../features/jobs/rules/transitions.ts'
import { readEvents, request } from '../client/http.ts'
import type { ServiceClient } from '../client/service-client.ts'
import { type Ended, watchReleases } from './ended-work.ts'

export type JobCounts = { readonly running: number; readonly waiting: number }

export type ServiceListener = {
  readonly onCounts: (counts: JobCounts) => void
  readonly onEnded: (ended: Ended) => void
}

export function countAfter(counts: JobCounts, event: ServiceEvent): JobCounts {
  if (event.type !== 'job' || event.from === event.to) return counts
  const change = (state: JobState) => (event.to === state ? 1 : 0) - (event.from === state ? 1 : 0)
  return {
    running: Math.max(0, counts.running + change('IN_PROGRESS')),
    waiting: Math.max(0, counts.waiting + change('IN_QUEUE')),
  }
}

export function endedBy(event: ServiceEvent): Ended | undefined {
  if (event.type !== 'job' || !isFinal(event.to)) return undefined
  return { kind: 'job', endpointId: event.endpointId, jobId: event.jobId, state: event.to }
}

const AGAIN_AFTER_MS = 1000

export async function followService(
  client: ServiceClient,
  {
    key,
    after,
    listener,
    signal,
  }: {
    readonly key: string
    readonly after: (ms: number, run: () => void) => () => void
    readonly listener: ServiceListener
    readonly signal: AbortSignal
  },
): Promise<void> {
  const releases = watchReleases({ client, after, onEnded: listener.onEnded, signal })
  while (!signal.aborted) {
    try {
      const { endpoints, eventId } = await client.call('liveRead', { signal })
      let counts: JobCounts = {
        running: endpoints.reduce((sum, { inProgress }) => sum + inProgress, 0),
        waiting: endpoints.reduce((sum, { inQueue }) => sum + inQueue, 0),
      }
      listener.onCounts(counts)
      releases.check()
      for await (const event of eventsAfter(client.url, { key, eventId, signal })) {
        const next = countAfter(counts, event)
        if (next !== counts) listener.onCounts(next)
        counts = next
        const ended = endedBy(event)
        if (ended !== undefined) listener.onEnded(ended)
        // Deploys emit no event, but each one starts workers and changes endpoints.
        if (event.type !== 'job' && event.type !== 'run') releases.check()
      }
    } catch {
      // The service is stopping or restarting. The supervisor tracks its state.
    }
    await new Promise<void>((resolve) => after(AGAIN_AFTER_MS, resolve))
  }
}

async function* eventsAfter(
  url: string,
  { key, eventId, signal }: { readonly key: string; readonly eventId: number; readonly signal: AbortSignal },
): AsyncGenerator<ServiceEvent> {
  const response = await request({
    method: 'GET',
    url: `${url}/events`,
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream', 'last-event-id': String(eventId) },
    signal,
  })
  if (response.status !== 200) throw new Error(`GET /events returned status ${response.status}`)
  for await (const { data } of readEvents(response.body)) {
    const { data: event } = serviceEvent.safeParse(JSON.parse(data))
    if (event !== undefined) yield event
  }
}
