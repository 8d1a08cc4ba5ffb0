/** Only local programs can reach it; the default listen address. */
export const LOOPBACK = '127.0.0.1'

export const LOOPBACK_NAMES: readonly string[] = [LOOPBACK, 'localhost', '[::1]']

export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}

export function isLoopbackHost(hostname: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

export function connectHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

const HTTP_PORT = 80

export function portOfService(url: string): number {
  return Number(/:(\d+)\/?$/.exec(url)?.[1] ?? HTTP_PORT)
}

export function hostHeaders(host: string, port: number): readonly string[] {
  return port === HTTP_PORT ? [`${host}:${port}`, host] : [`${host}:${port}`]
}

/** How containers reach this machine if the engine is a virtual machine. Source: Docker Desktop. */
export const HOST_OF_CONTAINERS = 'host.docker.internal'

/**
 * Ports of the service: above assigned ports, below those for outgoing connections, which could take one first. Source:
 * ours.
 */
export const OWN_PORTS = { from: 20_000, count: 12_000 } as const

/** As in all examples. Source: ours. */
export const DEFAULT_PORT = 8790
