import type { IncomingMessage } from 'node:http'
import { createComfyuiHandler } from '../../features/comfyui-api/routes/handler.ts'
import type { ServiceContext } from '../../features/service-context.ts'
import type { StreamHandler } from '../../http/server/listen.ts'

/** Requests to workers and from ComfyUI clients, outside the service's routes. */
export function createStreams(proxy: StreamHandler, service: ServiceContext, ready: Promise<void>): StreamHandler {
  const comfyui = createComfyuiHandler(service, ready)
  const handlerFor = (incoming: IncomingMessage) => (comfyui.isFor(incoming) ? comfyui : proxy)
  return {
    isFor: (incoming) => handlerFor(incoming).isFor(incoming),
    request: (incoming, response) => handlerFor(incoming).request(incoming, response),
    upgrade: (incoming, socket, head) => handlerFor(incoming).upgrade(incoming, socket, head),
  }
}
