import { createParser } from 'eventsource-parser'
import { MIB } from '../../../../src-main/lib/units.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import { hasBody, sentHeaders, type WebDraft } from './web-draft.ts'

export type WebEvent = { readonly name: string; readonly data: string }

export type WebResponse = {
  readonly method: string
  readonly path: string
  readonly sentAt: number
  readonly headAt?: number
  readonly endedAt?: number
  readonly status?: number
  readonly statusText?: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly bytes: number
  readonly events: readonly WebEvent[]
  readonly body?: Blob
  readonly cut: boolean
  readonly error?: Error
}

export type SendWeb = {
  readonly client: ApiClient
  readonly now: () => number
  readonly endpointId: string
  readonly draft: WebDraft
  readonly file: File | undefined
  readonly signal: AbortSignal
  readonly onChange: (result: WebResponse) => void
}

// Source: ours. More is only counted; the curl sample has everything.
const MAX_BYTES = 32 * MIB
const MAX_EVENTS = 1000

/** Sends a request to a load-balanced endpoint and follows the response to its end. Never rejects. */
export async function sendWeb(send: SendWeb): Promise<void> {
  const { client, now, endpointId, draft, file, signal, onChange } = send
  const { method, path } = draft
  let result: WebResponse = { method, path, sentAt: now(), headers: [], bytes: 0, events: [], cut: false }
  const change = (changed: Partial<WebResponse>) => {
    result = { ...result, ...changed }
    onChange(result)
  }
  onChange(result)
  try {
    const response = await client.request(endpointId, path, {
      method,
      headers: sentHeaders(draft, file).map(([name, value]): [string, string] => [name, value]),
      ...(hasBody(draft) ? { body: draft.bodyKind === 'file' ? (file ?? null) : draft.body } : {}),
      credentials: 'same-origin',
      cache: 'no-store',
      signal,
    })
    const { status, statusText } = response
    change({ status, statusText, headers: [...response.headers], headAt: now() })
    await readResponse(response, () => result, change)
    change({ endedAt: now() })
  } catch (error) {
    if (signal.aborted)
      change({ endedAt: now(), error: new Error('It was stopped here before the response was complete.') })
    else change({ endedAt: now(), error: broken(error, result) })
  }
}

function broken(error: unknown, { status }: WebResponse): Error {
  if (status === undefined) return error as Error
  return new Error('The connection ended in the middle of the response. See the log of the endpoint.')
}

async function readResponse(
  response: Response,
  read: () => WebResponse,
  change: (changed: Partial<WebResponse>) => void,
): Promise<void> {
  const type = response.headers.get('content-type') ?? ''
  const isEvents = type.startsWith('text/event-stream')
  const events = isEvents ? eventReader() : undefined
  const parts: Uint8Array<ArrayBuffer>[] = []
  const reader = response.body?.getReader()
  let bytes = 0
  for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
    const value = part.value as Uint8Array<ArrayBuffer>
    bytes += value.length
    if (events !== undefined) {
      change({ bytes, events: [...read().events, ...events(value)].slice(-MAX_EVENTS) })
    } else if (bytes <= MAX_BYTES) parts.push(value)
  }
  if (isEvents) return
  change({ bytes, body: new Blob(parts, { type: type.split(';', 1)[0] ?? '' }), cut: bytes > MAX_BYTES })
}

export function eventReader(): (bytes: Uint8Array) => readonly WebEvent[] {
  const decoder = new TextDecoder()
  let events: WebEvent[] = []
  const parser = createParser({ onEvent: ({ event = 'message', data }) => void events.push({ name: event, data }) })
  return (bytes) => {
    events = []
    parser.feed(decoder.decode(bytes, { stream: true }))
    return events
  }
}
