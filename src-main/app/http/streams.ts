import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { createComfyuiHandler } from '../../features/comfyui-api/routes/handler.ts'
import { createProxy } from '../../features/load-balancing/routes/proxy.ts'
import type { BalancerServices, ServiceContext } from '../../features/service-context.ts'
import type { OwnPort } from '../../http/admit-stream.ts'
import type { StreamHandler } from '../../http/server/listen.ts'

export const createWorkerStreams = (service: BalancerServices, ready: Promise<void>): StreamHandler =>
  toHandler(createProxy(service, ready))

export function createStreams(proxy: StreamHandler, service: ServiceContext, ready: Promise<void>) {
  const responder = createComfyuiHandler(service, ready)
  const comfyui = toHandler(responder)
  const handlerFor = (incoming: IncomingMessage) => (comfyui.isFor(incoming) ? comfyui : proxy)
  const forUsers: StreamHandler = {
    isFor: (incoming) => handlerFor(incoming).isFor(incoming),
    request: (incoming, response) => handlerFor(incoming).request(incoming, response),
    upgrade: (incoming, socket, head) => handlerFor(incoming).upgrade(incoming, socket, head),
  }
  return { forUsers, onComfyuiPort: (at: OwnPort) => toHandler(responder.onPort(at)) }
}

type Responder = Pick<StreamHandler, 'isFor'> & {
  readonly count: (method: string, status: number) => void
  readonly respond: (incoming: IncomingMessage, response: ServerResponse) => Promise<void>
  readonly respondToUpgrade: (incoming: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>
}

function toHandler({ isFor, count, respond, respondToUpgrade }: Responder): StreamHandler {
  return {
    isFor,
    request(incoming, response) {
      // A client that disconnects before the response does not count.
      response.once('close', () => response.headersSent && count(incoming.method ?? 'GET', response.statusCode))
      void respond(incoming, response)
    },
    upgrade(incoming, socket, head) {
      socket.on('error', () => socket.destroy())
      void respondToUpgrade(incoming, socket, head)
    },
  }
}
