/**
 * The listener for users: loopback alone, unless the user asks for more. Whoever reaches it must still name a host that is
 * known, so that no page of the network can be led here by a name of its own.
 */
import { networkInterfaces } from 'node:os'
import { type Fetch, type Listener, listen, type StreamHandler } from './listen.ts'
import { StartError } from './start-error.ts'

/** Where to answer, and to whom. */
export type UserPlace = {
  /** Undefined: 8790 or the next free one; a number: exactly that; 0: any free one. */
  readonly port?: number | undefined
  /** IP address of this machine on which to answer too; 0.0.0.0 and :: are all of them. Undefined: loopback alone. */
  readonly listen?: string | undefined
  /** Hosts to answer to beside the own addresses, like `box:9000`; without a port under that of the service. */
  readonly allowHosts?: readonly string[] | undefined
}

/** The listener, with the Host headers that are its own. */
export type UserListener = Listener & { readonly hosts: readonly string[] }

/** The port that clients are told of in examples. Source: issue, Purpose. */
const DEFAULT_PORT = 8790
const PORTS_TRIED = 20
const LOOPBACK = '127.0.0.1'
const ALL = ['0.0.0.0', '::']

/** Opens it. @throws StartError 'port-taken', 'address' */
export async function listenForUsers(fetch: Fetch, streams: StreamHandler, place: UserPlace): Promise<UserListener> {
  const { listen: address = LOOPBACK, allowHosts = [] } = place
  // An address for all includes loopback, and both together cannot have the same port.
  const first = await openFirst(fetch, streams, place.port, ALL.includes(address) ? address : LOOPBACK)
  const { port } = first
  const listeners = [first]
  try {
    if (address !== LOOPBACK && !ALL.includes(address))
      listeners.push(await listen(fetch, port, { streams, host: address }))
  } catch (error) {
    await first.close(0)
    throw error
  }
  const own = [LOOPBACK, 'localhost', ...addressesOf(address)].map((host) => `${host}:${port}`)
  return {
    port,
    hosts: [...own, ...allowHosts.flatMap((host) => (/:\d+$/.test(host) ? host : [host, `${host}:${port}`]))].map(
      (host) => host.toLowerCase(),
    ),
    close: async (graceMs) => void (await Promise.all(listeners.map((listener) => listener.close(graceMs)))),
  }
}

// Without a wish of the user the next free port will do; the CLI finds it in the data folder.
async function openFirst(
  fetch: Fetch,
  streams: StreamHandler,
  port: number | undefined,
  host: string,
): Promise<Listener> {
  if (port !== undefined) return listen(fetch, port, { streams, host })
  for (let at = DEFAULT_PORT; at < DEFAULT_PORT + PORTS_TRIED; at++) {
    try {
      return await listen(fetch, at, { streams, host })
    } catch (error) {
      if (!(error instanceof StartError) || error.kind !== 'port-taken') throw error
    }
  }
  return listen(fetch, 0, { streams, host })
}

/** The addresses behind one, as a Host header has them. No page can choose what an address means, so all are safe. */
function addressesOf(address: string): readonly string[] {
  if (!ALL.includes(address)) return [address.includes(':') ? `[${address}]` : address]
  const found = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return found
    .filter(({ family }) => address === '::' || family === 'IPv4')
    .map((one) => (one.family === 'IPv6' ? `[${one.address}]` : one.address))
}
