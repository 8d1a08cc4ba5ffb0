/**
 * Passes requests on to the workers of load-balanced endpoints and their answers back, on Node's own streams: nothing of
 * a body is held, whatever its size. Source: job-api, Load-balanced endpoints.
 *
 *   listen ─ proxy ─ admit ─ pass-on ─ balancer ─ send-to-worker ─ pump-body ─► worker
 *                      │          ▲ again, if nothing was answered     └─ copy-answer ◄─┘
 *                      └─ write-error                                        │
 *                                                       exchange.end ─ log of requests
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type AppError, errorBody } from '../../contract/errors.ts'
import { preflightHeaders } from '../../domain/cross-origin.ts'
import { readAddress } from '../../domain/load-balanced/read-address.ts'
import { createFindEndpoint } from '../../services/apps/find-endpoint.ts'
import type { Seat } from '../../services/load-balanced/worker-seats.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import { admit, foreignPage, namesOwnHost } from './admit.ts'
import { beginExchange, type Exchange } from './exchange.ts'
import { meetFaults } from './meet-faults.ts'
import { passOn, takeSeat } from './pass-on.ts'
import { tunnel } from './tunnel.ts'
import { asAppError, writeError, writeSocketError } from './write-error.ts'

/** The proxy, as the listener calls it. */
export type Proxy = {
  readonly isFor: (incoming: IncomingMessage) => boolean
  readonly request: (incoming: IncomingMessage, response: ServerResponse) => void
  readonly upgrade: (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void
}

const GONE = 'the client closed the connection before the end of the answer'

/** Makes the proxy. @param ready requests that come before this settles wait for it */
export function createProxy(service: ServiceContext, ready: Promise<void>): Proxy {
  const findEndpoint = createFindEndpoint(service)

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let exchange: Exchange | undefined
    try {
      await ready
      if (answerPreflight(incoming, response)) return
      const begun = beginExchange(incoming, service, admit(incoming, service, findEndpoint))
      exchange = begun
      response.once('close', () => {
        if (!response.writableFinished) {
          begun.notes.error ??= GONE
          begun.gone.abort()
        }
        begun.end()
      })
      await passOn(begun, response)
    } catch (error) {
      const known = asAppError(error, service)
      if (exchange !== undefined) note(exchange, known, response.headersSent)
      writeError(incoming, response, known, foreignPage(incoming, service))
    }
  }

  /** Tells a page that the endpoint lets in what it may ask; any other one is refused as with any request. */
  function answerPreflight(incoming: IncomingMessage, response: ServerResponse): boolean {
    const { method, headers } = incoming
    const privateNetwork = headers['access-control-request-private-network']
    const asked = headers['access-control-request-method']
    const page = method === 'OPTIONS' && asked !== undefined ? foreignPage(incoming, service) : undefined
    if (page === undefined || !namesOwnHost(incoming, service)) return false
    const more = { headers: headers['access-control-request-headers'], privateNetwork: privateNetwork?.toString() }
    response.writeHead(204, preflightHeaders(page, { method: asked, ...more })).end()
    return true
  }

  async function answerUpgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    let exchange: Exchange | undefined
    let seat: Seat | undefined
    try {
      await ready
      const begun = beginExchange(incoming, service, admit(incoming, service, findEndpoint))
      exchange = begun
      socket.once('close', () => begun.gone.abort())
      if (begun.endpoint.config.faults !== undefined) await meetFaults(begun)
      seat = await takeSeat(begun, new Set())
      begun.notes.workerId = seat?.worker.id
      if (seat === undefined) begun.notes.error = GONE
      else await tunnel(begun, seat, { socket, head })
    } catch (error) {
      const known = asAppError(error, service)
      const answered = exchange?.notes.status !== undefined
      if (exchange !== undefined) note(exchange, known, answered)
      if (answered) socket.destroy()
      else writeSocketError(socket, known)
    } finally {
      seat?.leave(true)
      exchange?.end()
    }
  }

  return {
    isFor: ({ url = '', headers }) => readAddress(url, headers.host) !== undefined,
    request: (incoming, response) => void answer(incoming, response),
    upgrade(incoming, socket, head) {
      socket.on('error', () => socket.destroy()) // a client may go at any time
      void answerUpgrade(incoming, socket, head)
    },
  }
}

// Why a request failed is for its log; the status too, where the client can still be told.
function note({ notes, endpoint, service, incoming }: Exchange, error: AppError, answered: boolean): void {
  notes.error = error.message
  if (!answered) notes.status = errorBody(error).status
  const { method } = incoming
  const fields = { endpointId: endpoint.id, workerId: notes.workerId, method, code: error.code, why: error.message }
  service.log.warn('request to a load-balanced endpoint not answered', fields)
}
