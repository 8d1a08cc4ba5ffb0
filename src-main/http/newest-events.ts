import type { ServiceEvent } from '../contract/live.ts'
import { present } from '../lib/json/plain.ts'
import type { Change, Storage } from '../storage/storage.ts'

// Bytes that a client which does not read keeps in memory, besides its socket. Source: ours.
const CHUNK_BYTES = 16_384
// A few thousand events: a listener further behind reads from the log. Source: ours.
const HELD_BYTES = 1_048_576

type HeldEvent = { readonly id: number; readonly endpointId: string; readonly text: string }

/** Events up to `last`; `bytes` is undefined if none is for the listener. */
export type Chunk = { readonly last: number; readonly bytes: Uint8Array | undefined }

export type NewestEvents = ReturnType<typeof holdNewestEvents>

export function holdNewestEvents(storage: Pick<Storage, 'events' | 'onDurable'>, isWanted: () => boolean) {
  let held: HeldEvent[] = []
  let bytes = 0
  let before = storage.events.lastId()
  const shared = new Map<string, Chunk>()

  function drop(): void {
    const oldest = held.shift()
    if (oldest === undefined) return
    before = oldest.id
    bytes -= oldest.text.length
  }

  storage.onDurable((changes) => {
    shared.clear()
    if (!isWanted()) {
      held = []
      bytes = 0
      before = changes.at(-1)?.eventId ?? before
      return
    }
    for (const event of changes.map(toHeld)) {
      held.push(event)
      bytes += event.text.length
    }
    while (bytes > HELD_BYTES) drop()
  })

  const lastId = () => held.at(-1)?.id ?? before
  return {
    lastId,
    after(id: number, only: string | undefined): Chunk | undefined {
      if (id < before) return undefined
      if (id >= lastId()) return { last: id, bytes: undefined }
      const place = `${id} ${only ?? ''}`
      const known = shared.get(place)
      if (known !== undefined) return known
      const from = held.findIndex((event) => event.id > id)
      const chunk = chunkOfHeld(held.slice(from), only, id)
      shared.set(place, chunk)
      return chunk
    },
  }
}

const encoder = new TextEncoder()

export function chunkOf(changes: readonly Change[], only: string | undefined, id: number): Chunk {
  return chunkOfHeld(changes.map(toHeld), only, id)
}

function chunkOfHeld(events: readonly HeldEvent[], only: string | undefined, id: number): Chunk {
  let text = ''
  let last = id
  for (const event of events) {
    if (only === undefined || event.endpointId === only) text += event.text
    last = event.id
    if (text.length >= CHUNK_BYTES) break
  }
  return { last, bytes: text === '' ? undefined : encoder.encode(text) }
}

function toHeld(change: Change): HeldEvent {
  const { eventId: id, endpointId, type } = change
  return { id, endpointId, text: `event: ${type}\ndata: ${JSON.stringify(toEvent(change))}\nid: ${id}\n\n` }
}

function toEvent(change: Change): ServiceEvent {
  const common = {
    at: change.at,
    endpointId: change.endpointId,
    ...present({ workerId: change.workerId, reason: change.reason }),
  }
  if (change.type === 'job') {
    const from = change.from === undefined ? {} : { from: change.from }
    return {
      ...common,
      type: 'job',
      jobId: change.jobId,
      event: change.event,
      ...from,
      to: change.to,
      attempt: change.attempt,
    }
  }
  if (change.type === 'run') return { ...common, type: 'run', runId: change.runId, event: change.event }
  if (change.type === 'worker')
    return { ...common, type: 'worker', workerId: change.workerId ?? '', to: change.event } as ServiceEvent
  return { ...common, type: 'endpoint', event: change.event } as ServiceEvent
}
