/** What the settings of a worker become in a swarm, and what of them a swarm cannot do. */
import { dirname } from 'node:path'
import { CODE_FOLDER } from '../../../contract/container.ts'
import { limit } from '../../../contract/limits.ts'
import { withoutGpus } from '../../../domain/worker/gpu-devices.ts'
import type { WorkerPlan, WorkerSpec } from '../../../services/ports/fleet.ts'
import { containerOptions } from '../../docker/container-options.ts'
import type { Connected } from '../../docker/engine.ts'
import { LABELS, labelsOf } from '../../docker/labels.ts'
import { givesEngine, type Mount, RUNTIME_FOLDER } from '../../docker/mounts.ts'
import type { PinnedImage } from './node-images.ts'
import type { ServiceSpec, SwarmNetworks } from './part-services.ts'
import type { SentFolder, SentFolders } from './sent-configs.ts'
import type { SwarmNode } from './swarm-nodes.ts'
import { cardWish } from './swarm-room.ts'
import { environmentScript, workerService } from './worker-service.ts'

/** Everything around the settings that the service of a worker is made of. */
export type Surroundings = {
  readonly connected: Connected
  readonly serviceId: string
  readonly runId: string
  /** Name of its service, and of its secret. */
  readonly service: string
  readonly networks: SwarmNetworks
  readonly nodes: readonly SwarmNode[]
  readonly image: PinnedImage
  readonly folders: SentFolders
  /** Nodes that are not to get it. */
  readonly avoided: readonly SwarmNode[]
}

/** Name of the service of a worker. A secret of that name has its variables; names of secrets are short. */
export function serviceName(serviceId: string, { workerId }: Pick<WorkerSpec, 'workerId'>): string {
  return `drydock-${serviceId}-w-${workerId}`
}

/** @throws Error with a sentence for a person where a swarm cannot do what the settings say */
export function refuseUnsupported(
  { container, callsHosts }: Pick<WorkerPlan, 'container'> & Partial<Pick<WorkerPlan, 'callsHosts'>>,
  machine: string,
): void {
  if (callsHosts !== undefined)
    throw new Error(`its workers call the apis of their app over https, which they cannot from ${machine} yet`)
  if (container === undefined) return
  if (container.ports.length > 0)
    throw new Error(
      `${machine} is a swarm, which would open the ports ${container.ports.join(', ')} to everybody who reaches its nodes. Take them out of the settings`,
    )
  if (container.diskBytes !== undefined)
    throw new Error(
      `${machine} is a swarm, which cannot limit the disk of a container. Take diskBytes out of the settings`,
    )
  for (const { source, target } of container.volumes)
    if (source.startsWith('/') && givesEngine([source], { sockets: [], ignoreCase: false }))
      throw new Error(
        `the volume ${source}:${target} would give the container control of the Docker engine of its node. Choose a folder that does not contain its socket`,
      )
}

/** The folders of this machine that a worker gets. Its image has svc_worker where it is ours. */
export function foldersOf(
  { handler, app, container }: Pick<WorkerPlan, 'handler' | 'app' | 'container'>,
  pythonPath: string,
): readonly SentFolder[] {
  if (handler === undefined) return []
  const code = { path: dirname(handler), kind: app === undefined ? 'project' : 'packed', target: CODE_FOLDER } as const
  if (container?.image === undefined) return [code]
  const target = `${RUNTIME_FOLDER}/svc_worker`
  return [code, { path: `${pythonPath}/svc_worker`, kind: 'packed', target }]
}

/** Makes the secret of a worker, and what its service is to be. */
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
    mounts: settings.volumes.map(mountOf),
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
    folders: around.folders,
    secret: { id, name: service },
    network: network.id,
    constraints: [
      ...(settings.placement ?? []),
      ...(cards?.constraints ?? []),
      ...around.avoided.map((node) => `node.id!=${node.id}`),
    ],
    cards: cards?.cards,
    environment: cards === undefined ? withoutGpus(connected.facts.info) : {},
    reservedBytes: settings.memoryBytes,
    graceMs: limit('stopGraceMs'),
  })
}

const mountOf = ({ source, target, readOnly }: { source: string; target: string; readOnly: boolean }): Mount => ({
  type: source.startsWith('/') ? 'bind' : 'volume',
  source,
  target,
  readOnly,
})

function largest(nodes: readonly SwarmNode[]): { readonly cpus: number; readonly memoryBytes: number } {
  return {
    cpus: Math.max(1, ...nodes.map(({ cpus }) => cpus)),
    memoryBytes: Math.max(0, ...nodes.map(({ memoryBytes }) => memoryBytes)),
  }
}
