/** Records the requests that servers of Node answer. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Exchange } from './read-exchanges.ts'

type Started = { readonly request: IncomingMessage; readonly response: ServerResponse }
type Called = Record<string, (...args: unknown[]) => unknown>

// Longer bodies are payloads.
const MOST_BYTES = 100_000

const CHANNEL = 'http.server.request.start'

/** Notes every request to a server of this process, and its response. @returns what ends it */
export function recordExchanges(note: (exchange: Exchange) => void): () => void {
  function onRequest(message: unknown): void {
    const { request, response } = message as Started
    const sent = listen(request, ['push'])
    const answered = listen(response, ['write', 'end'])
    response.once('close', () => {
      const { method = '', url = '', headers } = request
      const status = response.statusCode
      note({ method, url, headers: Object.keys(headers), status, sent: sent(), answered: answered() })
    })
  }
  subscribe(CHANNEL, onRequest)
  return () => void unsubscribe(CHANNEL, onRequest)
}

/** Notes what passes through these methods of a stream. @returns its text, or '' if it is too long */
function listen(stream: unknown, names: readonly string[]): () => string {
  const methods = stream as Called
  const pieces: Buffer[] = []
  let bytes = 0
  for (const name of names) {
    const call = methods[name]?.bind(stream)
    methods[name] = (...args) => {
      const [piece] = args
      if (typeof piece === 'string' || piece instanceof Uint8Array) {
        bytes += piece.length
        if (bytes <= MOST_BYTES) pieces.push(Buffer.from(piece as Uint8Array))
      }
      return call?.(...args)
    }
  }
  return () => (bytes > MOST_BYTES ? '' : Buffer.concat(pieces).toString('utf8'))
}
