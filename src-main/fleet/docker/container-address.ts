import type Docker from 'dockerode'
import type { WorkerAddress } from '../../services/ports.ts'

/** The ports of a load-balanced worker inside of its container. */
export type ContainerPorts = { readonly port: number; readonly healthPort?: number | undefined }

/**
 * Where this machine reaches a container: at its own address, or where that cannot be seen from here (an engine in a
 * virtual machine, or rootless) at the ports that were published on loopback.
 * @throws Error with a sentence for a person when the engine gave it neither
 */
export function containerAddress(
  state: Pick<Docker.ContainerInspectInfo, 'NetworkSettings'>,
  { port, healthPort = port }: ContainerPorts,
  isPublished: boolean,
): WorkerAddress {
  const { Networks, Ports } = state.NetworkSettings
  if (!isPublished) {
    const host = Object.values(Networks)[0]?.IPAddress
    if (host) return { host, port, healthPort }
    throw new Error('the engine gave the container no address')
  }
  const at = (inside: number) => Number(Ports[`${inside}/tcp`]?.[0]?.HostPort ?? 0)
  if (at(port) === 0) throw new Error(`the engine did not publish port ${port} of the container`)
  return { host: '127.0.0.1', port: at(port), healthPort: at(healthPort) || at(port) }
}

/** The ports in the label of a container. @param text `80` or `80,8080` */
export function readPortsLabel(text: string | undefined): ContainerPorts | undefined {
  const [port, healthPort] = (text ?? '').split(',').map(Number)
  return port ? { port, healthPort } : undefined
}

/** The label that `readPortsLabel` reads. */
export function portsLabel({ port, healthPort = port }: ContainerPorts): string {
  return `${port},${healthPort}`
}
