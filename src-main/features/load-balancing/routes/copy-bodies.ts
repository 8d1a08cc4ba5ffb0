import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '../../../contract/errors.ts'
import { limit } from '../../../contract/limits.ts'
import { type ClientAddress, headersForClient, pairsOf } from '../rules/forward-headers.ts'
import type { Slot } from '../worker-slots.ts'
import { checkHead } from './check-head.ts'
import type { Exchange } from './exchange.ts'

/**
 * Streams with backpressure and forwards each chunk at once.
 * @param done called once: with undefined if complete, else with the reason
 * @throws Error if the head cannot be forwarded; nothing was sent then
 */
export function copyResponse(
  { exchange, slot }: { readonly exchange: Exchange; readonly slot: Slot },
  workerResponse: IncomingMessage,
  response: ServerResponse,
  done: (why: string | undefined) => void,
): void {
  const { incoming, notes, elapsedMs, by, page } = exchange
  checkHead(workerResponse, 200)
  const status = workerResponse.statusCode ?? 502
  // Node throws if a response without a body announces trailers.
  const trailers =
    status !== 204 &&
    status !== 304 &&
    incoming.httpVersion !== '1.0' &&
    incoming.method !== 'HEAD' &&
    workerResponse.headers['transfer-encoding'] !== undefined
  notes.status = status
  notes.firstByteMs = elapsedMs()
  response.writeHead(
    status,
    workerResponse.statusMessage ?? '',
    headersForClient(workerResponse.rawHeaders, {
      trailers,
      client: clientAddressOf(exchange, slot),
      workerId: slot.worker.id,
      session: by === 'session',
      page,
    }),
  )

  const onDrain = () => void workerResponse.resume()
  const finish = (why: string | undefined) => {
    response.off('drain', onDrain)
    done(why)
  }
  response.on('drain', onDrain)
  workerResponse.on('data', (chunk: Buffer) => {
    notes.bytesOut += chunk.length
    if (!response.write(chunk)) workerResponse.pause()
  })
  workerResponse.on('end', () => {
    if (trailers) response.addTrailers(trailersOf(workerResponse))
    response.end()
    finish(undefined)
  })
  workerResponse.on('error', (error) =>
    finish(`it closed the connection in the middle of its response (${error.message})`),
  )
  setImmediate(() => {
    if (notes.bytesOut === 0 && !response.writableEnded && !response.destroyed) response.flushHeaders()
  })
}

export function clientAddressOf({ address, incoming, endpoint: { config } }: Exchange, slot: Slot): ClientAddress {
  return {
    prefix: address.prefix,
    target: address.target,
    host: incoming.headers.host ?? '',
    workerPort: (config.container && config.loadBalanced?.port) ?? slot.address.port,
  }
}

const trailersOf = ({ rawTrailers }: IncomingMessage) =>
  pairsOf(rawTrailers).map(([name, value]): [string, string] => [name, value])

export function tooLarge(): AppError {
  return new AppError('REQUEST_TOO_LARGE', { limit: `${limit('proxyBodyBytes') / 1024 / 1024} MiB` })
}

export function pumpBody(
  { incoming, notes }: Pick<Exchange, 'incoming' | 'notes'>,
  outgoing: ClientRequest,
  onTooLarge: () => void,
): () => void {
  const onData = (chunk: Buffer) => {
    notes.bytesIn += chunk.length
    if (notes.bytesIn > limit('proxyBodyBytes')) onTooLarge()
    else if (!outgoing.write(chunk)) incoming.pause()
  }
  const onDrain = () => void incoming.resume()
  const onEnd = () => {
    outgoing.addTrailers(trailersOf(incoming))
    outgoing.end()
  }
  incoming.on('data', onData).on('end', onEnd)
  outgoing.on('drain', onDrain)
  return () => {
    incoming.off('data', onData).off('end', onEnd)
    outgoing.off('drain', onDrain)
  }
}
