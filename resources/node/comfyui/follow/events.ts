import { type Preview, readPreview, readServerMessage, type ServerMessage } from '../progress/server-message.ts'
import type { ComfyServer } from '../server/comfy-server.ts'
import { openSocket, type Socket } from '../socket/open-socket.ts'

/** Something that the server's socket brought. `quiet`: nothing for a while. */
export type ServerEvent =
  | { readonly kind: 'message'; readonly message: ServerMessage }
  | { readonly kind: 'preview'; readonly preview: Preview }
  | { readonly kind: 'dropped'; readonly bytes: number }
  | { readonly kind: 'ended'; readonly why: Error }
  | { readonly kind: 'quiet' }

/** The events of one connection, in their order. */
export type ServerEvents = {
  /** The next one; `quiet` when none comes within the time. @throws the reason of the signal */
  readonly next: (timeoutMs: number) => Promise<ServerEvent>
  readonly close: () => void
}

const MIB = 1024 * 1024
// A text names the inputs of a node that failed; a picture of 4 MiB is no preview any more.
const LIMITS = { textBytes: 16 * MIB, binaryBytes: 4 * MIB }
// Source: worker-comfyui, handler.py.
const OPEN_MS = 10_000
// It must come first. Previews then say whose they are.
const FEATURES = JSON.stringify({ type: 'feature_flags', data: { supports_preview_metadata: true } })

/** Whose events are wanted. `silenceMs`: without a sign of life for so long the connection counts as dead. */
export type EventsOptions = { readonly clientId: string; readonly silenceMs: number; readonly signal: AbortSignal }

/** Connects to the events of a client. @throws Error that says why it cannot */
export async function openEvents(
  server: ComfyServer,
  { clientId, silenceMs, signal }: EventsOptions,
): Promise<ServerEvents> {
  const waiting: ServerEvent[] = []
  let wake: (() => void) | undefined
  const add = (event: ServerEvent | undefined) => {
    if (event === undefined) return
    // Only the newest picture counts, however slow its reader is.
    if (event.kind === 'preview' && waiting.at(-1)?.kind === 'preview') waiting.pop()
    waiting.push(event)
    wake?.()
  }

  const url = new URL('ws', server.url)
  url.searchParams.set('clientId', clientId)
  const socket: Socket = await openSocket({
    url,
    headers: server.headers,
    limits: LIMITS,
    signal,
    openMs: OPEN_MS,
    silenceMs,
    onMessage: (message) => {
      if (message.kind === 'text') add(asEvent(readServerMessage(message.text)))
      else if (message.kind === 'binary') add(asPreviewEvent(readPreview(message.bytes)))
      else add({ kind: 'dropped', bytes: message.bytes })
    },
    onEnd: (why) => add({ kind: 'ended', why }),
  })
  socket.send(FEATURES)

  return {
    async next(timeoutMs) {
      signal.throwIfAborted()
      if (waiting.length === 0) await sleepUntil((woken) => (wake = woken), timeoutMs, signal)
      wake = undefined
      signal.throwIfAborted()
      return waiting.shift() ?? { kind: 'quiet' }
    },
    close: () => socket.close(),
  }
}

const asEvent = (message: ServerMessage | undefined): ServerEvent | undefined =>
  message === undefined ? undefined : { kind: 'message', message }

const asPreviewEvent = (preview: Preview | undefined): ServerEvent | undefined =>
  preview === undefined ? undefined : { kind: 'preview', preview }

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
