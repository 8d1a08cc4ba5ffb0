/**
 * What the desktop has to know of a running service: how many jobs run and wait, and what ends. It reads the snapshot
 * of the pages, then follows the events after it, and begins anew when the stream breaks off.
 */

import { readEvents, request } from '../client/http.ts'
import type { ServiceClient } from '../client/service-client.ts'
import type { JobState } from '../contract/job.ts'
import { type ServiceEvent, serviceEvent } from '../contract/live.ts'
import { isFinal } from '../domain/job/transitions.ts'
import { type Ended, watchReleases } from './ended-work.ts'

/** Jobs now. */
export type JobCounts = { readonly running: number; readonly waiting: number }

/** What is reported of the service. */
export type ServiceListener = {
  readonly onCounts: (counts: JobCounts) => void
  readonly onEnded: (ended: Ended) => void
}

/** The jobs after one event. */
export function countAfter(counts: JobCounts, event: ServiceEvent): JobCounts {
  if (event.type !== 'job' || event.from === event.to) return counts
  const change = (state: JobState) => (event.to === state ? 1 : 0) - (event.from === state ? 1 : 0)
  return {
    running: Math.max(0, counts.running + change('IN_PROGRESS')),
    waiting: Math.max(0, counts.waiting + change('IN_QUEUE')),
  }
}

/** A job that ended with this event; undefined: none did. */
export function endedBy(event: ServiceEvent): Ended | undefined {
  if (event.type !== 'job' || !isFinal(event.to)) return undefined
  return { kind: 'job', endpointId: event.endpointId, jobId: event.jobId, state: event.to }
}

const AGAIN_AFTER_MS = 1000

/** Follows the service of `client` until the signal is aborted; a service that is gone is asked again each second. */
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
        // A deploy starts workers and changes endpoints; nothing else reports it.
        if (event.type !== 'job' && event.type !== 'run') releases.check()
      }
    } catch {
      // It stops or was restarted; whether it is up is not decided here.
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
  if (response.status !== 200) throw new Error(`the events were answered with ${response.status}`)
  for await (const { data } of readEvents(response.body)) {
    const { data: event } = serviceEvent.safeParse(JSON.parse(data))
    if (event !== undefined) yield event
  }
}
