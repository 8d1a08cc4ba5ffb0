import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { AppError, errorBody } from '../../contract/errors.ts'
import { headersForPage } from '../../domain/auth.ts'
import type { ServiceBase } from '../../services/service-context.ts'

// How long what is left of a refused body is read and thrown away, ms; source: ours. A socket that is closed on a
// client that still sends takes the response along.
const LINGER_MS = 5000

/** An error as one of the table; what is not is logged, and the client learns only under which id. */
export function asAppError(error: unknown, { log, newId }: ServiceBase): AppError {
  if (error instanceof AppError) return error
  const requestId = newId.worker()
  log.error('request to a load-balanced endpoint failed', { requestId, error })
  return new AppError('INTERNAL', { requestId })
}

/**
 * Answers with an error; a response that has begun can only be cut off.
 * @param page origin of a foreign page that may read it
 */
export function writeError(
  incoming: IncomingMessage,
  response: ServerResponse,
  error: AppError,
  page: string | undefined,
): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { status, title, headers, body } = errorResponseParts(error)
  // A writeHead() that failed has left its reason phrase behind.
  response.writeHead(status, title, { ...headers, ...(page === undefined ? {} : headersForPage(page)) })
  response.end(body)
  discardRest(incoming)
}

/** The same on a socket whose request asked for an upgrade. */
export function writeSocketError(socket: Duplex, error: AppError): void {
  const { status, title, headers, body } = errorResponseParts(error)
  const lines = Object.entries({ ...headers, connection: 'close' }).flatMap(([name, value]) => [name, String(value)])
  socket.end(responseHead(status, title, lines) + body)
}

/** Reads what is left of a body and throws it away, for a while. */
export function discardRest(incoming: IncomingMessage): void {
  if (incoming.complete) return
  const { socket } = incoming
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  incoming.once('close', () => clearTimeout(timer))
  incoming.resume()
}

/** First line and headers of a response, as they go over the wire. @param raw names and values in turn */
export function responseHead(status: number, message: string, raw: readonly string[]): string {
  let head = `HTTP/1.1 ${status} ${message}\r\n`
  for (let at = 0; at + 1 < raw.length; at += 2) head += `${raw[at]}: ${raw[at + 1]}\r\n`
  return `${head}\r\n`
}

function errorResponseParts(error: AppError) {
  const value = errorBody(error)
  const body = JSON.stringify(value)
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(value.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  }
  return { status: value.status, title: value.title, headers, body }
}
