import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { AppError, errorBody } from '../contract/errors.ts'
import type { ServiceBase } from '../features/service-context.ts'

// ms in which a refused body is discarded; closing while the client sends would lose the response. Source: ours.
const LINGER_MS = 5000

export function asAppError(error: unknown, { log, newId }: ServiceBase): AppError {
  if (error instanceof AppError) return error
  const requestId = newId.worker()
  log.error('load-balanced request failed unexpectedly', { requestId, error })
  return new AppError('INTERNAL', { requestId })
}

type Headers = Readonly<Record<string, string>>

type ErrorForm = { readonly status: number; readonly title: string }

/** @param formOf the error as the clients of another API read it */
export function writeError(
  incoming: IncomingMessage,
  response: ServerResponse,
  error: AppError,
  more: Headers = {},
  formOf: (error: AppError) => ErrorForm = errorBody,
): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { status, title, headers, body } = errorResponseParts(error, formOf)
  // Sets the reason phrase, because a failed writeHead() leaves its own behind.
  response.writeHead(status, title, { ...headers, ...more })
  response.end(body)
  discardRest(incoming)
}

export function writeSocketError(socket: Duplex, error: AppError, more: Headers = {}): void {
  const { status, title, headers, body } = errorResponseParts(error)
  const lines = Object.entries({ ...headers, ...more, connection: 'close' }).flatMap(([name, value]) => [
    name,
    String(value),
  ])
  socket.end(responseHead(status, title, lines) + body)
}

export function discardRest(incoming: IncomingMessage): void {
  if (incoming.complete) return
  const { socket } = incoming
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  incoming.once('close', () => clearTimeout(timer))
  incoming.resume()
}

export function responseHead(status: number, message: string, raw: readonly string[]): string {
  let head = `HTTP/1.1 ${status} ${message}\r\n`
  for (let index = 0; index + 1 < raw.length; index += 2) head += `${raw[index]}: ${raw[index + 1]}\r\n`
  return `${head}\r\n`
}

function errorResponseParts(error: AppError, formOf: (error: AppError) => ErrorForm = errorBody) {
  const value = formOf(error)
  const body = JSON.stringify(value)
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(value.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  }
  return { status: value.status, title: value.title, headers, body }
}
