/** HTTP as the command line needs it: one request, and an answer as server-sent events. */
import http from 'node:http'
import https from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createParser } from 'eventsource-parser'
import { trusting } from './pinned-certificate.ts'

/** One request to a service. */
export type HttpRequest = {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Text, bytes, or what is sent as it is read. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array | string> | undefined
  readonly signal?: AbortSignal | undefined
  /** PEM: the only certificate that is trusted; undefined: those that the system trusts. */
  readonly certificate?: string | undefined
  /** How the answer is read (default: utf8); latin1 keeps each byte as one character. */
  readonly encoding?: 'utf8' | 'latin1'
}

/** The answer: its status, and its body as text in the pieces that arrive. */
export type HttpResponse = {
  readonly status: number
  readonly contentType: string
  readonly body: AsyncIterable<string>
}

/**
 * Sends a request and resolves when the head of the answer is there. Not `fetch`, because that gives up when nothing
 * arrives for 5 minutes, which is as long as runsync may wait and less than a log can be silent.
 */
export function request({
  method,
  url,
  headers,
  body,
  signal,
  certificate,
  encoding = 'utf8',
}: HttpRequest): Promise<HttpResponse> {
  const library = url.startsWith('https:') ? https : http
  return new Promise((resolve, reject) => {
    const trust = certificate === undefined ? {} : trusting(certificate)
    const outgoing = library.request(url, { method, headers, signal, ...trust }, (incoming) => {
      incoming.setEncoding(encoding)
      resolve({ status: incoming.statusCode ?? 0, contentType: incoming.headers['content-type'] ?? '', body: incoming })
    })
    outgoing.once('error', reject)
    if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) outgoing.end(body)
    else pipeline(Readable.from(body), outgoing).catch(reject)
  })
}

/** Reads a body to its end. */
export async function readText(body: AsyncIterable<string>): Promise<string> {
  const pieces: string[] = []
  for await (const piece of body) pieces.push(piece)
  return pieces.join('')
}

/** One server-sent event; `event` is `message` where the sender names none. */
export type ServerSentEvent = { readonly id: string | undefined; readonly event: string; readonly data: string }

/** Cuts a body of type text/event-stream into its events. Comments, unknown fields and an event cut off are skipped. */
export async function* readEvents(body: AsyncIterable<string>): AsyncGenerator<ServerSentEvent> {
  let events: ServerSentEvent[] = []
  const parser = createParser({
    onEvent: ({ id, event = 'message', data }) => void events.push({ id, event, data }),
  })
  for await (const piece of body) {
    parser.feed(piece)
    yield* events
    events = []
  }
}
