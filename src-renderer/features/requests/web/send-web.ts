import type { ApiClient } from '../../../api-client/client.ts'
import { hasBody, sentHeaders, type WebDraft } from './web-draft.ts'

/** One server-sent event. */
export type WebEvent = { readonly name: string; readonly data: string }

/** What a worker has answered so far. Times in ms since the epoch. */
export type WebAnswer = {
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
  /** The whole body, once it is there; not of events. */
  readonly body?: Blob
  /** Whether more came than is kept. */
  readonly cut: boolean
  readonly error?: Error
}

/** How a request is sent. */
export type SendWeb = {
  readonly client: ApiClient
  readonly now: () => number
  readonly endpointId: string
  readonly draft: WebDraft
  readonly file: File | undefined
  readonly signal: AbortSignal
  readonly onChange: (answer: WebAnswer) => void
}

// Source: ours. More is not looked at in a window; it is counted, and the sample for curl has it.
const KEPT_BYTES = 32 * 1024 * 1024
const KEPT_EVENTS = 1000

/** Sends a request to a load-balanced endpoint and hears of its answer until its end. Never rejects. */
export async function sendWeb(send: SendWeb): Promise<void> {
  const { client, now, endpointId, draft, file, signal, onChange } = send
  const { method, path } = draft
  let answer: WebAnswer = { method, path, sentAt: now(), headers: [], bytes: 0, events: [], cut: false }
  const change = (changed: Partial<WebAnswer>) => {
    answer = { ...answer, ...changed }
    onChange(answer)
  }
  onChange(answer)
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
    await readAnswer(response, () => answer, change)
    change({ endedAt: now() })
  } catch (error) {
    if (signal.aborted) change({ endedAt: now(), error: new Error('It was stopped here before its answer had ended.') })
    else change({ endedAt: now(), error: broken(error, answer) })
  }
}

function broken(error: unknown, { status }: WebAnswer): Error {
  if (status === undefined) return error as Error
  return new Error('The connection ended in the middle of the answer. See the log of the endpoint for why.')
}

async function readAnswer(
  response: Response,
  read: () => WebAnswer,
  change: (changed: Partial<WebAnswer>) => void,
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
      change({ bytes, events: [...read().events, ...events(value)].slice(-KEPT_EVENTS) })
    } else if (bytes <= KEPT_BYTES) parts.push(value)
  }
  if (isEvents) return
  change({ bytes, body: new Blob(parts, { type: type.split(';', 1)[0] ?? '' }), cut: bytes > KEPT_BYTES })
}

/** Takes bytes and gives the events that have become whole with them. */
export function eventReader(): (bytes: Uint8Array) => readonly WebEvent[] {
  const decoder = new TextDecoder()
  let text = ''
  return (bytes) => {
    text += decoder.decode(bytes, { stream: true })
    const blocks = text.split(/\r?\n\r?\n/)
    text = blocks.pop() ?? ''
    return blocks.flatMap((block) => {
      const fields = block.split(/\r?\n/).map((line) => /^([^:]*):? ?(.*)$/.exec(line) ?? [])
      const data = fields.filter(([, name]) => name === 'data').map(([, , value]) => value)
      const name = fields.findLast(([, field]) => field === 'event')?.[2]
      return data.length === 0 ? [] : { name: name ?? 'message', data: data.join('\n') }
    })
  }
}
