/**
 * Logs each uncaught error with its request, responds with 500 and continues. Only an error that may mean a damaged
 * database stops the service.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '../../contract/errors.ts'
import type { Log } from '../../lib/clock.ts'
import { errorCode } from '../../lib/error-code.ts'
import { writeError } from '../write-error.ts'

type Exchange = { readonly incoming: IncomingMessage; readonly response: ServerResponse }

const current = new AsyncLocalStorage<Exchange>()
const IN_DOUBT = /^SQLITE_(CORRUPT|NOTADB|IOERR)/

export function withinRequest(incoming: IncomingMessage, response: ServerResponse, handle: () => void): void {
  current.run({ incoming, response }, () => {
    try {
      handle()
    } catch (error) {
      // Rethrows inside the async context; outside `run` the error would lose its request.
      queueMicrotask(() => {
        throw error
      })
    }
  })
}

export function catchUnhandled({
  log,
  newRequestId,
  onDoubt,
}: {
  readonly log: Log
  readonly newRequestId: () => string
  readonly onDoubt: () => void
}): () => void {
  // Node also reports unhandled rejections as uncaught exceptions.
  const onError = (error: unknown) => {
    const exchange = current.getStore()
    const requestId = newRequestId()
    const { method, url } = exchange?.incoming ?? {}
    log.error('unhandled error', { error, requestId, method, path: url?.split('?', 1)[0] })
    if (exchange !== undefined) answer(exchange, requestId)
    if (IN_DOUBT.test(errorCode(error))) onDoubt()
  }
  process.on('uncaughtException', onError)
  return () => void process.off('uncaughtException', onError)
}

function answer({ incoming, response }: Exchange, requestId: string): void {
  if (response.writableEnded) return
  try {
    writeError(incoming, response, new AppError('INTERNAL', { requestId }))
  } catch {
    response.destroy()
  }
}
