/**
 * The remote end may be any program, so it gets only worker calls, calls with tokens of workers that may call others,
 * and the watchdog. Source: docs/spec/reverse-tunnel.md, 1.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { isWorkerCall, mayBeCalledByWorkers, tunnelPath } from '../../contract/worker-protocol.ts'
import type { StreamHandler } from '../../http/server/listen.ts'
import type { Keys } from '../keys/keys.ts'
import { keyFromHeader } from '../keys/rules.ts'

type Fetch = (request: Request, bindings: object) => Response | Promise<Response>

export type MachineAppOptions = {
  readonly keys: Pick<Keys, 'callerOf'>
  readonly names: () => readonly string[]
  readonly workers: Fetch
  readonly users: Fetch
  readonly streams: StreamHandler
  readonly ready: Promise<void>
}

const nothing = () => new Response(null, { status: 404 })
const NOTHING = 'HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'

export function createMachineApp({ keys, names, workers, users, streams, ready }: MachineAppOptions): {
  readonly fetch: Fetch
  readonly streams: StreamHandler
} {
  async function isWorkerThatCalls(authorization: string | null | undefined): Promise<boolean> {
    const key = keyFromHeader(authorization ?? undefined)
    if (key === undefined) return false
    await ready
    return keys.callerOf(key)?.holder === 'peer'
  }

  return {
    async fetch(request, bindings) {
      const { pathname } = new URL(request.url)
      if (names().some((name) => pathname === tunnelPath(name))) return new Response(null, { status: 204 })
      if (isWorkerCall(pathname)) return workers(request, bindings)
      const isLetIn = mayBeCalledByWorkers(pathname) && (await isWorkerThatCalls(request.headers.get('authorization')))
      return isLetIn ? users(request, bindings) : nothing()
    },
    streams: {
      isFor: streams.isFor,
      request: (incoming, response) => void respond(incoming, response),
      upgrade: (incoming, socket, head) => void upgrade(incoming, socket, head),
    },
  }

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (await isWorkerThatCalls(incoming.headers.authorization)) return streams.request(incoming, response)
    response.writeHead(404, { connection: 'close' }).end()
  }

  async function upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy())
    if (await isWorkerThatCalls(incoming.headers.authorization)) return streams.upgrade(incoming, socket, head)
    socket.end(NOTHING)
  }
}
