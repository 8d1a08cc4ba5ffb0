/** How this machine is called by its own programs, and by containers on it. */

/** The address that only programs of this machine reach. What has no other address listens here. */
export const LOOPBACK = '127.0.0.1'

/** The names of loopback in the address of a page or a server, lower case. */
export const LOOPBACK_NAMES: readonly string[] = [LOOPBACK, 'localhost', '[::1]']

/** Whether an IP address is one of loopback. */
export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}

/** Whether the host of an address, in the form of `URL.hostname`, is this machine by a name or address of loopback. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

/** The host of an address as programs connect to it: an address of IPv6 stands without its brackets. */
export function connectHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

const HTTP_PORT = 80

/** The port of the service at this address. A URL leaves port 80 out. */
export function portOfService(url: string): number {
  return Number(/:(\d+)\/?$/.exec(url)?.[1] ?? HTTP_PORT)
}

/** The Host headers with which programs reach this host at a port: they leave port 80 out. */
export function hostHeaders(host: string, port: number): readonly string[] {
  return port === HTTP_PORT ? [`${host}:${port}`, host] : [`${host}:${port}`]
}

/** The name by which a container reaches this machine where its engine is a virtual machine. Source: Docker Desktop. */
export const HOST_OF_CONTAINERS = 'host.docker.internal'

/**
 * Ports for what the service opens by itself: above those that systems give to services, below those that they give to
 * outgoing connections, of which one could take a port first. Source: ours.
 */
export const OWN_PORTS = { from: 20_000, count: 12_000 } as const

/** The port of the service where none is named, as in all examples. Source: ours. */
export const DEFAULT_PORT = 8790
