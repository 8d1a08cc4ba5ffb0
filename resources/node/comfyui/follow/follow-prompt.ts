/**
 * Follows a prompt by socket events; after silence or a reconnect it reads the queue and history, since events may be
 * lost.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { networkReason } from '../../../../src-main/lib/network-error.ts'
import { BridgeFailure, ServerLost } from '../failure.ts'
import type { Preview, ServerMessage } from '../progress/server-message.ts'
import type { ComfyServer } from '../server/comfy-server.ts'
import type { BridgeSettings } from '../settings.ts'
import { openEvents, type ServerEvents } from './events.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import { findPrompt, type PromptPlace } from './prompt-place.ts'

export type Followed = {
  readonly server: ComfyServer
  readonly clientId: string
  readonly promptId: string
  readonly events: ServerEvents
  readonly signal: AbortSignal
  readonly settings: Pick<BridgeSettings, 'reconnectAttempts' | 'reconnectDelayMs' | 'quietMs' | 'silenceMs'>
  readonly onMessage: (message: ServerMessage) => void
  readonly onPreview: (preview: Preview) => void
  readonly log: (line: string) => void
}

/** @throws BridgeFailure when the server is gone or no longer knows the prompt; the signal's reason */
export async function followPrompt(followed: Followed): Promise<Outcome> {
  const { promptId, signal, settings, log } = followed
  let { events } = followed
  let openedAt = Number.NEGATIVE_INFINITY
  let looksInVain = 0
  let hasToldOfOthers = false
  try {
    for (;;) {
      const event = await events.next(settings.quietMs)
      if (event.kind === 'preview') followed.onPreview(event.preview)
      else if (event.kind === 'message') {
        const outcome = outcomeOf(event.message, promptId)
        if (outcome !== undefined) return outcome
        followed.onMessage(event.message)
      } else {
        if (event.kind === 'ended') {
          // A server that closes each new connection is not asked without pause.
          await pause(Math.max(0, openedAt + settings.reconnectDelayMs - performance.now()), undefined, { signal })
          events = await reconnect(followed, event.why)
          openedAt = performance.now()
        }
        const place = await look(followed)
        if (place === 'ended') return { kind: 'ended' }
        if (place === 'pending' && !hasToldOfOthers)
          log(`ComfyUI at ${followed.server.host} is working on prompts of other clients.`)
        hasToldOfOthers ||= place === 'pending'
        looksInVain = place === 'unknown' ? looksInVain + 1 : 0
        // One miss may be the moment between the queue and the history.
        if (looksInVain > 1 || (looksInVain > 0 && event.kind === 'ended')) throw forgotten(followed)
      }
    }
  } finally {
    events.close()
  }
}

async function look({ server, promptId, signal, log }: Followed): Promise<PromptPlace> {
  try {
    return await findPrompt(server, promptId, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof BridgeFailure) throw error
    // The socket is open, so the server is only busy.
    log(`ComfyUI at ${server.host} does not report the position of the prompt: ${networkReason(error)}`)
    return 'running'
  }
}

async function reconnect(followed: Followed, why: Error): Promise<ServerEvents> {
  const { server, clientId, signal, settings, log } = followed
  log(`The connection to ComfyUI at ${server.host} was lost: ${why.message}`)
  let last: unknown = why
  for (let attempt = 1; attempt <= settings.reconnectAttempts; attempt += 1) {
    try {
      return await openEvents(server, { clientId, silenceMs: settings.silenceMs, signal })
    } catch (error) {
      signal.throwIfAborted()
      last = error
      log(`Attempt ${attempt} of ${settings.reconnectAttempts} to connect again failed: ${networkReason(error)}`)
      if (attempt < settings.reconnectAttempts) await pause(settings.reconnectDelayMs, undefined, { signal })
    }
  }
  throw new ServerLost(
    'with the prompt',
    'WebSocket communication error: Connection closed and failed to reconnect. ' +
      `Last error: ${networkReason(last)}. ComfyUI at ${server.host} may have ended; see its log`,
  )
}

function forgotten({ server, promptId }: Followed): ServerLost {
  return new ServerLost(
    'with the prompt',
    `Prompt ID ${promptId} not found in history after execution. ` +
      `ComfyUI at ${server.host} was restarted or its queue was cleared; send the job again`,
  )
}
