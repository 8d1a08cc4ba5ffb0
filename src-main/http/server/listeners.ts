/**
 * Listeners for users and workers. The user listener is on loopback unless configured; requests must name a known host,
 * which stops DNS rebinding by web pages.
 */
import { networkInterfaces } from 'node:os'
import { isWorkerCall, mayBeCalledByWorkers } from '../../contract/worker-protocol.ts'
import { DEFAULT_PORT, HOST_OF_CONTAINERS, hostHeaders, LOOPBACK } from '../../lib/own-addresses.ts'
import { StartError } from '../../lib/start-error.ts'
import type { Storage } from '../../storage/storage.ts'
import { type CertificatePair, createSecureContexts, openSecureContexts } from './certificates.ts'
import { type Fetch, type Listener, listen, type StreamHandler } from './listen.ts'
import type { Secured } from './secure-connections.ts'

export type UserAddress = {
  /** Undefined: the one from before, 8790 or the next free one; a number: exactly that; 0: any free one. */
  readonly port?: number | undefined
  /** Additional local IP address to listen on; 0.0.0.0 and :: mean all. Undefined: loopback only. */
  readonly listen?: string | undefined
  /** Serves only https except on loopback, with this certificate or one the service signs. */
  readonly tls?: 'own' | CertificatePair | undefined
  readonly allowHosts?: readonly string[] | undefined
}

type Answers = {
  readonly fetch: Fetch
  readonly streams: StreamHandler
  readonly secure: Secured
}

export type UserListener = Listener & { readonly hosts: readonly string[] }

const PORTS_TRIED = 20
const ALL = ['0.0.0.0', '::']

/**
 * @param portBefore tried first so that clients and pages reconnect
 * @throws StartError 'port-taken', 'address'
 */
export async function listenForUsers(
  answers: Answers,
  options: UserAddress,
  portBefore?: number,
): Promise<UserListener> {
  const { listen: address = LOOPBACK, allowHosts = [] } = options
  // A wildcard address includes loopback, and both cannot use the same port.
  const ports = options.port ? [options.port] : freePorts(options.port, portBefore)
  const first = await openFirst(answers, ports, ALL.includes(address) ? address : LOOPBACK)
  const { port } = first
  const listeners = [first]
  try {
    if (address !== LOOPBACK && !ALL.includes(address)) listeners.push(await openAnswers(answers, port, address))
  } catch (error) {
    await first.close(0)
    throw error
  }
  const own = [LOOPBACK, 'localhost', ...addressesOf(address).map(inHostHeader)].flatMap((host) =>
    hostHeaders(host, port),
  )
  return {
    port,
    hosts: [...own, ...allowHosts.flatMap((host) => (/:\d+$/.test(host) ? host : [host, `${host}:${port}`]))].map(
      (host) => host.toLowerCase(),
    ),
    close: async (graceMs) => void (await Promise.all(listeners.map((listener) => listener.close(graceMs)))),
  }
}

function freePorts(wanted: number | undefined, portBefore: number | undefined): readonly number[] {
  const usual = wanted === 0 ? [] : Array.from({ length: PORTS_TRIED }, (_, at) => DEFAULT_PORT + at)
  return [...(portBefore === undefined ? [] : [portBefore]), ...usual, 0]
}

async function openFirst(answers: Answers, ports: readonly number[], host: string): Promise<Listener> {
  const [port = 0, ...others] = ports
  return await openAnswers(answers, port, host).catch((error) => {
    const isTaken = error instanceof StartError && error.kind === 'port-taken'
    if (isTaken && others.length > 0) return openFirst(answers, others, host)
    throw error
  })
}

/**
 * Enables https locally for programs that require it, and on the network if requested.
 * @returns the fingerprint remote clients pin; undefined without network TLS
 * @throws StartError 'address'
 */
export async function secureAnswers(
  data: string,
  { listen: address = LOOPBACK, allowHosts = [], tls }: UserAddress,
): Promise<{ readonly secure: Secured; readonly fingerprint: string | undefined }> {
  if (tls === undefined) return { secure: { contextFor: createSecureContexts(data) }, fingerprint: undefined }
  const hosts = new Set(allowHosts.map((host) => host.replace(/:\d+$/, '').toLowerCase()))
  const addresses = addressesOf(address)
  const given = tls === 'own' ? undefined : tls
  try {
    const { named, unnamed, fingerprint } = await openSecureContexts(data, { hosts, addresses, given })
    return { secure: { contextFor: named, unnamed, onlyLoopbackIsPlain: true }, fingerprint }
  } catch (cause) {
    throw new StartError('address', `The certificate cannot be used: ${(cause as Error).message}.`, { cause })
  }
}

function openAnswers({ fetch, ...others }: Answers, port: number, host: string): Promise<Listener> {
  return listen(fetch, port, { ...others, host })
}

/** Pages cannot choose what an address resolves to, so all are safe. */
function addressesOf(address: string): readonly string[] {
  if (!ALL.includes(address)) return [address]
  const found = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return found.filter(({ family }) => address === '::' || family === 'IPv4').map((one) => one.address)
}

const inHostHeader = (address: string) => (address.includes(':') ? `[${address}]` : address)

// Worker listeners: loopback for processes, each container network's gateway, opened on demand on their previous ports,
// which workers surviving a crash use. They serve the worker protocol, job API and state manager only; remote workers

export function answerWorkers({ workers, users }: { readonly workers: Fetch; readonly users: Fetch }): Fetch {
  return (request, bindings) => {
    const { pathname } = new URL(request.url)
    if (isWorkerCall(pathname)) return workers(request, bindings)
    return mayBeCalledByWorkers(pathname) ? users(request, bindings) : new Response(null, { status: 404 })
  }
}

/** States that hold the ports of listeners for workers and users, by address. */
export const PORT_STATES = ['server.workerPorts', 'server.machinePorts', 'server.userPorts'] as const

export function lastPorts({ state }: Pick<Storage, 'state'>, ports: (typeof PORT_STATES)[number]) {
  return (state.get(ports) ?? {}) as Readonly<Record<string, number>>
}

/**
 * @param ports key under which their ports are stored
 * @param secure https setup, as the platform's package calls endpoint hosts
 * @param hosts additional Host headers of the job API
 */
export function createWorkerListeners(deps: {
  readonly storage: Storage
  readonly ports: (typeof PORT_STATES)[number]
  readonly fetch: Fetch
  readonly streams: StreamHandler
  readonly secure: Secured
  readonly hosts: Set<string>
}) {
  const { storage, ports, fetch, streams, secure, hosts } = deps
  const listeners = new Map<string, Promise<Listener>>()

  async function openAt(host: string): Promise<Listener> {
    const last = lastPorts(storage, ports)[host] ?? 0
    const options = { host, streams, secure }
    const listener = await listen(fetch, last, options).catch(() => listen(fetch, 0, options))
    const { port } = listener
    if (port !== last)
      await storage.write(() => storage.state.set(ports, { ...lastPorts(storage, ports), [host]: port }))
    hosts.add(`${host}:${port}`)
    hosts.add(`${HOST_OF_CONTAINERS}:${port}`)
    return listener
  }

  return {
    open(host: string): Promise<{ readonly port: number }> {
      const listener = listeners.get(host) ?? openAt(host)
      listeners.set(host, listener)
      listener.catch(() => listeners.delete(host))
      return listener
    },
    async close(graceMs: number) {
      const open = await Promise.allSettled(listeners.values())
      await Promise.all(
        open.map((listener) => (listener.status === 'fulfilled' ? listener.value.close(graceMs) : null)),
      )
    },
  }
}
