/** The names, labels and addresses of containers that are ours. */
import type Docker from 'dockerode'
import { SERVICE_LABEL } from '../../domain/machines/left-behind.ts'
import { LOOPBACK } from '../../domain/own-addresses.ts'
import type { WorkerAddress, WorkerSpec } from '../../services/ports/fleet.ts'

/** Labels of everything that is ours. Source: ours. */
export const LABELS = {
  service: SERVICE_LABEL,
  /** Which run of the service made it: what an earlier one left is known by it. */
  run: 'svc.run',
  endpoint: 'svc.endpoint',
  worker: 'svc.worker',
  /** App and environment, like `shop/production`. */
  app: 'svc.app',
  ports: 'svc.ports',
  /** Ids of its graphics cards. */
  gpus: 'svc.gpus',
  gpusShared: 'svc.gpus.shared',
  /** What of the service it is that is no worker: `relay`, `watchdog`. */
  part: 'svc.part',
  /** Hash of all that such a container is made of. */
  made: 'svc.made',
} as const

/** Who makes containers. */
export type Maker = { readonly serviceId: string; readonly runId: string }

// Longer ids of endpoints are cut: lists of containers are read in columns, and the label has the whole.
const NAMED = 40

/**
 * The name of a worker's container, for who looks at the engine: service, endpoint and worker.
 * @returns letters, digits, dots, hyphens and underscores, as the engine wants it
 */
export function containerName({ serviceId }: Pick<Maker, 'serviceId'>, { endpointId, workerId }: WorkerSpec): string {
  const endpoint = endpointId.replace(/[^A-Za-z0-9_.-]+/g, '-').slice(0, NAMED)
  return `drydock-${serviceId}-${endpoint}-${workerId}`
}

/** The labels of a worker's container. */
export function labelsOf(
  { serviceId, runId }: Maker,
  { endpointId, workerId, app, loadBalanced, container }: WorkerSpec,
  gpuIds: readonly string[],
): Record<string, string> {
  return {
    [LABELS.service]: serviceId,
    [LABELS.run]: runId,
    [LABELS.endpoint]: endpointId,
    [LABELS.worker]: workerId,
    ...(app === undefined ? {} : { [LABELS.app]: `${app.name}/${app.environment}` }),
    ...(loadBalanced === undefined ? {} : { [LABELS.ports]: portsLabel(loadBalanced) }),
    ...(gpuIds.length === 0 ? {} : { [LABELS.gpus]: gpuIds.join(',') }),
    ...(gpuIds.length > 0 && container?.gpuShared === true ? { [LABELS.gpusShared]: 'true' } : {}),
  }
}

/** Whether a container is the one of a worker, by the labels that it bears. */
export function isContainerOf(
  labels: Readonly<Record<string, string>>,
  { serviceId, workerId }: Pick<Maker, 'serviceId'> & Pick<WorkerSpec, 'workerId'>,
): boolean {
  return labels[LABELS.worker] === workerId && labels[LABELS.service] === serviceId
}

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
  return { host: LOOPBACK, port: at(port), healthPort: at(healthPort) || at(port) }
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
