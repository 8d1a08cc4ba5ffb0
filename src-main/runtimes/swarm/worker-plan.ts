import { limit } from '../../contract/limits.ts'
import { containerOptions } from '../docker/container-options.ts'
import type { Connected } from '../docker/engine.ts'
import { LABELS, labelsOf } from '../docker/labels.ts'
import { givesEngine, type Mount } from '../docker/mounts.ts'
import type { WorkerPlan, WorkerSpec } from '../port.ts'
import { withoutGpus } from '../rules/gpu-devices.ts'
import type { PinnedImage } from './node-images.ts'
import type { ServiceSpec, SwarmNetworks } from './part-services.ts'
import type { SwarmNode } from './swarm-nodes.ts'
import { cardWish, constraintsOf } from './swarm-room.ts'
import { environmentScript, workerService } from './worker-service.ts'

export type Surroundings = {
  readonly connected: Connected
  readonly serviceId: string
  readonly runId: string
  readonly service: string
  readonly networks: SwarmNetworks
  readonly nodes: readonly SwarmNode[]
  readonly image: PinnedImage
  readonly mounts: readonly Mount[]
  readonly avoided: readonly SwarmNode[]
}

/** Also of the secret with its variables; secret names are short. */
export function serviceName(serviceId: string, { workerId }: Pick<WorkerSpec, 'workerId'>): string {
  return `drydock-${serviceId}-w-${workerId}`
}

/** @throws Error for the user if a swarm cannot satisfy the settings */
export function refuseUnsupported(
  { container, callsHosts }: Pick<WorkerPlan, 'container'> & Partial<Pick<WorkerPlan, 'callsHosts'>>,
  machine: string,
): void {
  if (callsHosts !== undefined)
    throw new Error(`its workers call the apis of their app over https, which they cannot from ${machine} yet`)
  if (container === undefined) return
  if (container.ports.length > 0)
    throw new Error(
      `${machine} is a swarm, which would publish the ports ${container.ports.join(', ')} to everyone who can reach its nodes. Remove them from the settings`,
    )
  if (container.diskBytes !== undefined)
    throw new Error(
      `${machine} is a swarm, which cannot limit the disk of a container. Remove diskBytes from the settings`,
    )
  for (const { source, target } of container.volumes)
    if (source.startsWith('/') && givesEngine([source], { sockets: [], ignoreCase: false }))
      throw new Error(
        `the volume ${source}:${target} would give the container control of the Docker engine of its node. Choose a folder that does not contain its socket`,
      )
}

export async function makeWorkerService(spec: WorkerSpec, around: Surroundings): Promise<ServiceSpec> {
  const { connected, serviceId, networks, nodes, image, service } = around
  const { container: settings } = spec
  if (settings === undefined) throw new Error('the endpoint has no container settings')
  const cards = cardWish(settings, nodes)
  if (cards !== undefined && 'reason' in cards) throw new Error(cards.reason)
  const network = settings.egress ? networks.open : networks.closed
  const container = containerOptions({
    spec,
    image: image.ref,
    mounts: around.mounts,
    serviceUser: undefined,
    network: { name: network.name, extraHosts: [], endpointHosts: { url: '', address: '' } },
    engine: { ...largest(nodes), inVirtualMachine: false, rootless: false },
    labels: labelsOf(around, spec, []),
    gpus: { hostConfig: {}, env: {} },
  })
  const script = environmentScript(container.Env ?? [])
  const { id } = await connected.docker.createSecret({
    Name: service,
    Labels: { [LABELS.service]: serviceId, [LABELS.worker]: spec.workerId },
    Data: Buffer.from(script).toString('base64'),
  })
  return workerService({
    name: service,
    container,
    image: image.ref,
    program: image.program,
    secret: { id, name: service },
    network: network.id,
    constraints: [...constraintsOf(settings, nodes), ...around.avoided.map((node) => `node.id!=${node.id}`)],
    cards: cards?.cards,
    environment: cards === undefined ? withoutGpus(connected.facts.info) : {},
    reservedBytes: settings.memoryBytes,
    graceMs: limit('stopGraceMs'),
  })
}

function largest(nodes: readonly SwarmNode[]): { readonly cpus: number; readonly memoryBytes: number } {
  return {
    cpus: Math.max(1, ...nodes.map(({ cpus }) => cpus)),
    memoryBytes: Math.max(0, ...nodes.map(({ memoryBytes }) => memoryBytes)),
  }
}
