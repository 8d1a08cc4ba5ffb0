import http from 'node:http'
import https from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createParser } from 'eventsource-parser'
import { trusting } from './pinned-certificate.ts'

export type HttpRequest = {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array | string> | undefined
  readonly signal?: AbortSignal | undefined
  readonly certificate?: string | undefined
  readonly encoding?: 'utf8' | 'latin1'
}

export type HttpResponse = {
  readonly status: number
  readonly contentType: string
  readonly body: AsyncIterable<string>
}

/**
 * Resolves with the response head. Not `fetch`, which fails after 5 minutes of silence: runsync may wait as long, and
 * logs may pause longer.
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

export async function readText(body: AsyncIterable<string>): Promise<string> {
  const pieces: string[] = []
  for await (const piece of body) pieces.push(piece)
  return pieces.join('')
}

/** `event` defaults to `message`. */
export type ServerSentEvent = { readonly id: string | undefined; readonly event: string; readonly data: string }

/** Parses text/event-stream; skips comments, unknown fields and a truncated event. */
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
