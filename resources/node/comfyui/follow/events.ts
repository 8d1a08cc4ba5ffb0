import { type Preview, readPreview, readServerMessage, type ServerMessage } from '../progress/server-message.ts'
import type { ComfyServer } from '../server/comfy-server.ts'
import { openSocket } from './open-socket.ts'

export type ServerEvent =
  | { readonly kind: 'message'; readonly message: ServerMessage }
  | { readonly kind: 'preview'; readonly preview: Preview }
  | { readonly kind: 'ended'; readonly why: Error }
  | { readonly kind: 'quiet' }

export type ServerEvents = {
  /**
   * Returns the next event, or `quiet` when none comes in time.
   * @throws the signal's reason
   */
  readonly next: (timeoutMs: number) => Promise<ServerEvent>
  readonly close: () => void
}

const MIB = 1024 * 1024
// Limit of unread events before reading pauses. Source: ours; a busy server sends 50 a second.
const WAITING_MAX = { events: 1000, bytes: 32 * MIB }
// A text names the inputs of a node that failed. A longer message costs a connection, and the job goes on with another.
const MESSAGE_BYTES = 16 * MIB
// ms. Source: worker-comfyui, handler.py.
const OPEN_MS = 10_000
// It must come first. Previews then name their node.
const FEATURES = JSON.stringify({ type: 'feature_flags', data: { supports_preview_metadata: true } })

/** `silenceMs`: a connection that is silent for so long counts as dead. */
export type EventsOptions = { readonly clientId: string; readonly silenceMs: number; readonly signal: AbortSignal }

export async function openEvents(
  server: ComfyServer,
  { clientId, silenceMs, signal }: EventsOptions,
): Promise<ServerEvents> {
  const waiting = new WaitingEvents()
  let wake: (() => void) | undefined
  const add = (event: ServerEvent | undefined, bytes: number): boolean => {
    if (event !== undefined) {
      waiting.add(event, bytes)
      wake?.()
    }
    return waiting.hasRoom()
  }

  const url = new URL('ws', server.url)
  url.searchParams.set('clientId', clientId)
  const socket = await openSocket({
    url,
    headers: server.headers,
    messageBytes: MESSAGE_BYTES,
    signal,
    openMs: OPEN_MS,
    silenceMs,
    onMessage(received) {
      if (typeof received !== 'string') {
        const preview = readPreview(received)
        return add(preview && { kind: 'preview', preview }, received.length)
      }
      const message = readServerMessage(received)
      return add(message && { kind: 'message', message }, received.length)
    },
    onEnd: (why) => void add({ kind: 'ended', why }, 0),
  })
  socket.send(FEATURES)

  return {
    async next(timeoutMs) {
      signal.throwIfAborted()
      if (waiting.isEmpty()) await sleepUntil((woken) => (wake = woken), timeoutMs, signal)
      wake = undefined
      signal.throwIfAborted()
      const event = waiting.take()
      if (waiting.hasRoom()) socket.resume()
      return event ?? { kind: 'quiet' }
    },
    close: () => socket.close(),
  }
}

const isPreview = (event: ServerEvent | undefined) => event?.kind === 'preview' && event.preview.type === 'image/jpeg'

class WaitingEvents {
  readonly #events: { readonly event: ServerEvent; readonly bytes: number }[] = []
  #bytes = 0

  add(event: ServerEvent, bytes: number): void {
    // Only the newest preview matters, however slow its reader is. Servers send previews as JPEG, and results as PNG.
    if (isPreview(event) && isPreview(this.#events.at(-1)?.event)) this.#remove(this.#events.pop())
    this.#events.push({ event, bytes })
    this.#bytes += bytes
  }

  take(): ServerEvent | undefined {
    return this.#remove(this.#events.shift())
  }

  isEmpty(): boolean {
    return this.#events.length === 0
  }

  hasRoom(): boolean {
    return this.#events.length < WAITING_MAX.events && this.#bytes < WAITING_MAX.bytes
  }

  #remove(removed: { readonly event: ServerEvent; readonly bytes: number } | undefined): ServerEvent | undefined {
    this.#bytes -= removed?.bytes ?? 0
    return removed?.event
  }
}

function sleepUntil(onWake: (wake: () => void) => void, timeoutMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, timeoutMs)
    signal.addEventListener('abort', done)
    onWake(done)
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
  })
}
