/**
 * Service events, delivered in batches, so that twenty renders per second keep up with two hundred events. A broken
 * stream is not reopened here, as the caller knows what it missed.
 */
import { type ServiceEvent, serviceEvent } from '../../src-main/contract/live.ts'
import type { Platform } from '../browser/platform.ts'

export type NumberedEvent = { readonly id: number; readonly event: ServiceEvent }

export type EventSourceLike = Pick<EventSource, 'addEventListener' | 'close'>

const BATCH_MS = 50
const TYPES = ['job', 'worker', 'endpoint', 'run'] as const satisfies readonly ServiceEvent['type'][]

/**
 * @param after number of the last known event
 * @returns a function that closes it; no calls follow
 */
export function openEventStream({
  after,
  connect,
  platform,
  onEvents,
  onLost,
}: {
  readonly after: number
  readonly connect: (address: string) => EventSourceLike
  readonly platform: Pick<Platform, 'after'>
  readonly onEvents: (events: readonly NumberedEvent[]) => void
  readonly onLost: () => void
}): () => void {
  const source = connect(`/events?lastEventId=${after}`)
  let batch: NumberedEvent[] = []
  let cancelFlush: (() => void) | undefined

  const flush = () => {
    cancelFlush = undefined
    const events = batch
    batch = []
    onEvents(events)
  }
  const onMessage = (message: MessageEvent<string>) => {
    batch.push({ id: Number(message.lastEventId), event: serviceEvent.parse(JSON.parse(message.data)) })
    cancelFlush ??= platform.after(BATCH_MS, flush)
  }
  const close = () => {
    cancelFlush?.()
    batch = []
    source.close()
  }
  for (const type of TYPES) source.addEventListener(type, onMessage as EventListener)
  source.addEventListener('error', () => {
    close()
    onLost()
  })
  return close
}
