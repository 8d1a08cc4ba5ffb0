import type { WorkerSpec } from '../../services/ports.ts'
import { portsLabel } from './container-address.ts'

/** Labels of everything that is ours. Source: issue, Fleet driver docker; ours for all but service and endpoint. */
export const LABELS = {
  service: 'svc.service',
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
