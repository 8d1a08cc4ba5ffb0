/**
 * Loaded by `node --import` before every program of a run: writes each request that a server of Node answers, and the
 * response, as a line of JSON.
 */
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Exchange } from './read-exchanges.ts'

type Started = { readonly request: IncomingMessage; readonly response: ServerResponse }
type Called = Record<string, (...args: unknown[]) => unknown>

// Longer bodies are payloads.
const MOST_BYTES = 100_000

const { PLATFORM_WATCH } = process.env
if (PLATFORM_WATCH !== undefined) {
  const file = join(PLATFORM_WATCH, 'exchanges.jsonl')
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as Started
    const sent = listen(request, ['push'])
    const answered = listen(response, ['write', 'end'])
    response.once('close', () => {
      const { method = '', url = '', headers } = request
      const exchange: Exchange = {
        ...{ method, url, headers: Object.keys(headers), status: response.statusCode },
        ...{ sent: sent(), answered: answered() },
      }
      appendFileSync(file, `${JSON.stringify(exchange)}\n`)
    })
  })
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
