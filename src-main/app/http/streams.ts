import type { IncomingMessage } from 'node:http'
import { createComfyuiDoor } from '../../features/comfyui-api/routes/door.ts'
import type { ServiceContext } from '../../features/service-context.ts'
import type { StreamHandler } from '../../http/server/listen.ts'

/** Requests of users that no route of the service answers: those to workers, and those of ComfyUI clients. */
export function createStreams(proxy: StreamHandler, service: ServiceContext, ready: Promise<void>): StreamHandler {
  const door = createComfyuiDoor(service, ready)
  const handlerFor = (incoming: IncomingMessage) => (door.isFor(incoming) ? door : proxy)
  return {
    isFor: (incoming) => handlerFor(incoming).isFor(incoming),
    request: (incoming, response) => handlerFor(incoming).request(incoming, response),
    upgrade: (incoming, socket, head) => handlerFor(incoming).upgrade(incoming, socket, head),
  }
}
