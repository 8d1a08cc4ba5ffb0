import type { ClientRequest } from 'node:http'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { pairsOf } from '../../domain/load-balanced/forward-headers.ts'
import type { Exchange } from './exchange.ts'

/** The error of a body above the limit. */
export function tooLarge(): AppError {
  return new AppError('REQUEST_TOO_LARGE', { limit: `${limit('proxyBodyBytes') / 1024 / 1024} MiB` })
}

/**
 * Passes the body of a request on as it comes, no faster than the worker reads, with its trailers. It is cut off where
 * it exceeds the limit.
 * @returns a function that stops reading
 */
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
    if (incoming.rawTrailers.length > 0)
      outgoing.addTrailers(pairsOf(incoming.rawTrailers).map(([name, value]): [string, string] => [name, value]))
    outgoing.end()
  }
  incoming.on('data', onData).on('end', onEnd)
  outgoing.on('drain', onDrain)
  return () => {
    incoming.off('data', onData).off('end', onEnd)
    outgoing.off('drain', onDrain)
  }
}
