import type Docker from 'dockerode'
import { SERVICE_LABEL } from '../../features/machines/rules/left-behind.ts'
import { LOOPBACK } from '../../lib/own-addresses.ts'
import type { WorkerAddress, WorkerSpec } from '../port.ts'

export const LABELS = {
  service: SERVICE_LABEL,
  run: 'svc.run',
  endpoint: 'svc.endpoint',
  worker: 'svc.worker',
  pod: 'svc.pod',
  app: 'svc.app',
  ports: 'svc.ports',
  gpus: 'svc.gpus',
  gpusShared: 'svc.gpus.shared',
  part: 'svc.part',
  made: 'svc.made',
} as const

export type Maker = { readonly serviceId: string; readonly runId: string }

const NAMED = 40

export function containerName({ serviceId }: Pick<Maker, 'serviceId'>, { endpointId, workerId }: WorkerSpec): string {
  const endpoint = endpointId.replace(/[^A-Za-z0-9_.-]+/g, '-').slice(0, NAMED)
  return `drydock-${serviceId}-${endpoint}-${workerId}`
}

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

export function isContainerOf(
  labels: Readonly<Record<string, string>>,
  { serviceId, workerId }: Pick<Maker, 'serviceId'> & Pick<WorkerSpec, 'workerId'>,
): boolean {
  return labels[LABELS.worker] === workerId && labels[LABELS.service] === serviceId
}

export type ContainerPorts = { readonly port: number; readonly healthPort?: number | undefined }

/**
 * A container's own address, or ports published on loopback if it is unreachable (virtual machine or rootless).
 * @throws Error for the user if the engine provides neither
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

export function readPortsLabel(text: string | undefined): ContainerPorts | undefined {
  const [port, healthPort] = (text ?? '').split(',').map(Number)
  return port ? { port, healthPort } : undefined
}

export function portsLabel({ port, healthPort = port }: ContainerPorts): string {
  return `${port},${healthPort}`
}
