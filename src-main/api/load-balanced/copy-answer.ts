import type { IncomingMessage, ServerResponse } from 'node:http'
import { headersForClient, pairsOf } from '../../domain/load-balanced/forward-headers.ts'
import type { AnswerPlace } from '../../domain/load-balanced/lead-back.ts'
import type { Seat } from '../../services/load-balanced/worker-seats.ts'
import type { Exchange } from './exchange.ts'

/**
 * Passes an answer on as it comes, no faster than the client reads: nothing waits for more, so that events arrive one
 * by one. Trailers go along where the client can have them.
 * @param done called once: without a reason when the answer is complete, else with why not
 */
export function copyAnswer(
  { exchange, seat }: { readonly exchange: Exchange; readonly seat: Seat },
  answer: IncomingMessage,
  response: ServerResponse,
  done: (why: string | undefined) => void,
): void {
  const { incoming, notes, elapsedMs, by, page } = exchange
  const trailers =
    incoming.httpVersion !== '1.0' && incoming.method !== 'HEAD' && answer.headers['transfer-encoding'] !== undefined
  const status = answer.statusCode ?? 502
  notes.status = status
  notes.firstByteMs = elapsedMs()
  response.writeHead(
    status,
    answer.statusMessage ?? '',
    headersForClient(answer.rawHeaders, {
      trailers,
      place: placeOfAnswer(exchange, seat),
      session: by === 'session',
      page,
    }),
  )

  const onDrain = () => void answer.resume()
  const finish = (why: string | undefined) => {
    response.off('drain', onDrain)
    done(why)
  }
  response.on('drain', onDrain)
  answer.on('data', (chunk: Buffer) => {
    notes.bytesOut += chunk.length
    if (!response.write(chunk)) answer.pause()
  })
  answer.on('end', () => {
    if (trailers && answer.rawTrailers.length > 0)
      response.addTrailers(pairsOf(answer.rawTrailers).map(([name, value]): [string, string] => [name, value]))
    response.end()
    finish(undefined)
  })
  answer.on('error', (error) => finish(`it ended the connection in the middle of its answer (${error.message})`))
  // The head goes with the first piece of the body where there is one at once; else it does not wait for it.
  setImmediate(() => {
    if (notes.bytesOut === 0 && !response.writableEnded && !response.destroyed) response.flushHeaders()
  })
}

/** Where the client asked, and which port the worker knows itself by: a container by its own, a process by the one it got. */
export function placeOfAnswer({ address, incoming, endpoint: { config } }: Exchange, seat: Seat): AnswerPlace {
  return {
    prefix: address.prefix,
    target: address.target,
    host: incoming.headers.host ?? '',
    workerPort: (config.container && config.loadBalanced?.port) ?? seat.address.port,
  }
}
