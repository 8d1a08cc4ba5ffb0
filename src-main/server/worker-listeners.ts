/**
 * The listeners for workers: one on loopback for processes, one on the gateway of each network of containers, each
 * opened when it is first needed, on the port that it had before: workers that outlived a crash call that one. Beside
 * the worker protocol they serve the job API and the state manager, as workers may call other endpoints and ask where
 * these are; nothing else of the service.
 */
import { isWorkerCall } from '../contract/worker-protocol.ts'
import type { Storage } from '../core.ts'
import { type Fetch, type Listener, listen, type StreamHandler } from './listen.ts'

/** The listeners. */
export type WorkerListeners = {
  /** Opens the listener on this address, or gives the one that is open. */
  readonly open: (host: string) => Promise<{ readonly port: number }>
  readonly close: (graceMs: number) => Promise<void>
}

const PORTS = 'server.workerPorts'
// What a worker may ask of the job API, load-balanced endpoints and the state manager, with a key as everybody else.
const FOR_CALLS = /^\/(?:(?:v2|lb)\/|graphql$)/
// Name of this machine inside of a container whose engine is a virtual machine.
const HOST_NAME = 'host.docker.internal'

/** Makes the keeper of listeners. @param hosts Host headers that the job API takes; those of the listeners are added */
export function createWorkerListeners({
  storage,
  workers,
  users,
  streams,
  hosts,
}: {
  readonly storage: Storage
  readonly workers: Fetch
  readonly users: Fetch
  readonly streams: StreamHandler
  readonly hosts: Set<string>
}): WorkerListeners {
  const listeners = new Map<string, Promise<Listener>>()

  const answer: Fetch = (request, bindings) => {
    const { pathname } = new URL(request.url)
    if (isWorkerCall(pathname)) return workers(request, bindings)
    return FOR_CALLS.test(pathname) ? users(request, bindings) : new Response(null, { status: 404 })
  }

  async function openAt(host: string): Promise<Listener> {
    const before = storage.state.get(PORTS) as Readonly<Record<string, number>> | undefined
    const last = before?.[host] ?? 0
    const listener = await listen(answer, last, { host, streams }).catch(() => listen(answer, 0, { host, streams }))
    const { port } = listener
    if (port !== last) await storage.write(() => storage.state.set(PORTS, { ...before, [host]: port }))
    hosts.add(`${host}:${port}`)
    hosts.add(`${HOST_NAME}:${port}`)
    return listener
  }

  return {
    open(host) {
      const listener = listeners.get(host) ?? openAt(host)
      listeners.set(host, listener)
      listener.catch(() => listeners.delete(host))
      return listener
    },
    async close(graceMs) {
      const open = await Promise.allSettled(listeners.values())
      await Promise.all(
        open.map((listener) => (listener.status === 'fulfilled' ? listener.value.close(graceMs) : null)),
      )
    },
  }
}
