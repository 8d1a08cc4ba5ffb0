/**
 * The last net: errors that no code handles. Each is logged with its request, the request is answered with 500, and the
 * service goes on. Only an error that casts doubt on the database ends the service.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { writeError } from '../api/load-balanced/write-error.ts'
import { AppError } from '../contract/errors.ts'
import type { Log } from '../core.ts'
import { errorCode } from '../domain/error-code.ts'

type Exchange = { readonly incoming: IncomingMessage; readonly response: ServerResponse }

const current = new AsyncLocalStorage<Exchange>()
const IN_DOUBT = /^SQLITE_(CORRUPT|NOTADB|IOERR)/

/** Attributes errors in everything that `handle` starts, callbacks included, to a request. */
export function withinRequest(incoming: IncomingMessage, response: ServerResponse, handle: () => void): void {
  current.run({ incoming, response }, () => {
    try {
      handle()
    } catch (error) {
      // Thrown out of `run`, it would no longer belong to the request.
      queueMicrotask(() => {
        throw error
      })
    }
  })
}

/**
 * Catches the errors of the process that nothing else handles.
 * @param onDoubt called when the database may be damaged; it ends the process
 * @returns a function that stops catching
 */
export function catchUnhandled({
  log,
  newRequestId,
  onDoubt,
}: {
  readonly log: Log
  readonly newRequestId: () => string
  readonly onDoubt: () => void
}): () => void {
  // Rejections that nothing handles come here, too.
  const onError = (error: unknown) => {
    const exchange = current.getStore()
    const requestId = newRequestId()
    const { method, url } = exchange?.incoming ?? {}
    log.error('an error was not handled', { error, requestId, method, path: url?.split('?', 1)[0] })
    if (exchange !== undefined) answer(exchange, requestId)
    if (IN_DOUBT.test(errorCode(error))) onDoubt()
  }
  process.on('uncaughtException', onError)
  return () => void process.off('uncaughtException', onError)
}

function answer({ incoming, response }: Exchange, requestId: string): void {
  if (response.writableEnded) return
  try {
    writeError(incoming, response, new AppError('INTERNAL', { requestId }), undefined)
  } catch {
    response.destroy()
  }
}
