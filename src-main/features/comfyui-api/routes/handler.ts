/**
 * The native API of a ComfyUI server for each endpoint that takes workflows, at its own host and below /comfy/ID/.
 * Source: docs/spec/comfyui.md, 10.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { AppError } from '../../../contract/errors.ts'
import { type Admitted, admit, type OwnPort } from '../../../http/admit-stream.ts'
import { readAddress } from '../../../http/request-address.ts'
import { requestListener } from '../../../http/server/listen.ts'
import { asAppError, writeError, writeSocketError } from '../../../http/write-error.ts'
import { isLoopback } from '../../../lib/own-addresses.ts'
import { MIB } from '../../../lib/units.ts'
import { createFindEndpoint } from '../../apps/environment-endpoints.ts'
import type { NamedEndpointServices, ServiceContext } from '../../service-context.ts'
import { takesWorkflows } from '../../workflows/rules/runs/takes-workflows.ts'
import { refuseWithoutWorkflows } from '../../workflows/runs.ts'
import { CLIENT_ID_LENGTH } from '../prompts.ts'
import { comfyErrorForm, isComfyApiPath } from '../rules/comfy-error.ts'
import { createComfyuiSockets } from '../sockets.ts'
import { type ComfyuiServices, createComfyuiApp } from './app.ts'

type Services = ComfyuiServices & NamedEndpointServices & Pick<ServiceContext, 'views' | 'requestCounts'>

// Clients send only their feature flags.
const MESSAGE_BYTES = MIB
// A client with more unread data is disconnected.
const UNREAD_BYTES = 32 * MIB
const API_PREFIX = /^\/api(?=[/?]|$)/

export function createComfyuiHandler(service: Services, ready: Promise<void>) {
  const findEndpoint = createFindEndpoint(service)
  const sockets = createComfyuiSockets({ ...service, counts: service.views.counts })
  const server = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_BYTES })
  const count = service.requestCounts.of('/comfy/:endpointId/*')
  const admitted = new WeakMap<IncomingMessage, Admitted>()
  const app = createComfyuiApp(service, (incoming) => admitted.get(incoming))
  const handleRequest = requestListener(app.fetch)
  service.stopping.addEventListener('abort', sockets.close, { once: true })

  function admitRequest(incoming: IncomingMessage, signal: AbortSignal, at: OwnPort | undefined): Promise<Admitted> {
    const { localAddress = '', remoteAddress = '' } = incoming.socket
    const isOnThisMachine = isLoopback(localAddress) && isLoopback(remoteAddress)
    return admit(
      incoming,
      { service, findEndpoint, gone: signal },
      {
        requireKind: refuseWithoutWorkflows,
        needsNoKey: ({ config }) => config.comfyuiWithoutKey === true && isOnThisMachine,
        at,
      },
    )
  }

  async function respond(incoming: IncomingMessage, response: ServerResponse, at: OwnPort | undefined): Promise<void> {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    try {
      await ready
      const found = await admitRequest(incoming, gone.signal, at)
      admitted.set(incoming, found)
      incoming.url = found.address.target.replace(API_PREFIX, '') || '/'
      if (incoming.headers.expect !== undefined) response.writeContinue()
      await handleRequest(incoming, response)
    } catch (error) {
      const { url = '', headers } = incoming
      const { target } = readAddress(url, headers.host) ?? { target: url }
      writeError(
        incoming,
        response,
        asAppError(error, service),
        {},
        isComfyApiPath(target) ? comfyErrorForm : undefined,
      )
    }
  }

  async function respondToUpgrade(
    incoming: IncomingMessage,
    { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
    at: OwnPort | undefined,
  ): Promise<void> {
    const gone = new AbortController()
    socket.once('close', () => gone.abort())
    try {
      await ready
      const { endpoint, address, isAllowed } = await admitRequest(incoming, gone.signal, at)
      const { pathname, searchParams } = new URL(address.target, 'http://localhost')
      if (pathname.replace(API_PREFIX, '') !== '/ws')
        throw new AppError('ROUTE_NOT_FOUND', { method: 'GET', path: pathname.slice(0, 200) })
      const clientId =
        searchParams.get('clientId')?.slice(0, CLIENT_ID_LENGTH) || service.newId.uuid().replaceAll('-', '')
      server.handleUpgrade(incoming, socket, head, (connection) => {
        const unwatch = service.openStreams.watch(isAllowed, () => connection.terminate())
        connection.once('close', unwatch)
        join(endpoint.id, clientId, connection)
      })
    } catch (error) {
      writeSocketError(socket, asAppError(error, service))
    }
  }

  function join(endpointId: string, clientId: string, connection: WebSocket): void {
    const { hear, leave } = sockets.join(endpointId, clientId, {
      send(data) {
        if (connection.bufferedAmount > UNREAD_BYTES) connection.terminate()
        else connection.send(data)
      },
    })
    connection.on('message', (data, isBinary) => {
      if (!isBinary) hear(String(data))
    })
    connection.once('close', leave)
    connection.on('error', () => connection.terminate())
    const end = () => connection.close(1001)
    service.stopping.addEventListener('abort', end, { once: true })
    connection.once('close', () => service.stopping.removeEventListener('abort', end))
  }

  const responderAt = (at?: OwnPort) => ({
    count,
    respond: (incoming: IncomingMessage, response: ServerResponse) => respond(incoming, response, at),
    respondToUpgrade: (incoming: IncomingMessage, socket: Duplex, head: Buffer) =>
      respondToUpgrade(incoming, { socket, head }, at),
  })

  return {
    ...responderAt(),
    onPort: (at: OwnPort) => ({ ...responderAt(at), isFor: () => true }),
    isFor({ url = '', headers }: IncomingMessage): boolean {
      const address = readAddress(url, headers.host)
      if (address === undefined || address.form === 'lb') return false
      if (address.form === 'comfy') return true
      const endpoint = service.storage.endpoints.get(address.endpointId)
      return endpoint !== undefined && takesWorkflows(endpoint.config)
    },
  }
}
