import { createHash } from 'node:crypto'
import { MIB } from '../../lib/units.ts'
import { LABELS } from '../docker/labels.ts'
import { RUNTIME_FOLDER } from '../docker/mounts.ts'
import type { TunnelThere } from '../remote/relay-containers.ts'
import { type SentFolders, unpackThen } from './sent-configs.ts'

export type ServiceSpec = Readonly<Record<string, unknown>> & {
  readonly Name: string
  readonly Labels: Readonly<Record<string, string>>
}

export type SwarmNetwork = { readonly id: string; readonly name: string; readonly subnet: string }

export type SwarmNetworks = {
  readonly nodes: SwarmNetwork
  readonly open: SwarmNetwork
  readonly closed: SwarmNetwork
  readonly isEncrypted: boolean
}

export type PartsPlan = {
  readonly serviceId: string
  readonly image: string
  readonly program: SentFolders
  readonly networks: SwarmNetworks
  readonly key: { readonly id: string; readonly name: string }
  readonly way: TunnelThere
  readonly manager: string
  readonly lostMs: number
}

/** Relay port on the hub, whose own namespace prevents conflicts. */
export const RELAY_PORT = 20_080
export const AGENT_PORT = 20_081

export const hubName = (serviceId: string) => `drydock-${serviceId}-hub`
export const agentsName = (serviceId: string) => `drydock-${serviceId}-agents`
export const keepersName = (serviceId: string) => `drydock-${serviceId}-networks`

const KEY_FILE = '/run/secrets/key'
const FOLDER = '/reverse-tunnel'
const ENGINE = '/engine.sock'
// Path of the engine's socket on every node. Source: Docker.
const NODE_ENGINE = '/var/run/docker.sock'
const MEMORY_BYTES = 256 * MIB
const MAX_PROCESSES = 64
const PROGRAM_BYTES = 8 * MIB
const ANYWHERE = '0.0.0.0'
const ANYBODY_MAY_WRITE = 0o1777
const NOBODY = '65534:65534'
const MAY_READ = 0o444
const SECOND_NS = 1e9

/** Hub on the manager, next to the tunnel's socket. Accepts its networks. */
export function hubService(plan: PartsPlan): ServiceSpec {
  const { serviceId, way, networks, manager } = plan
  if (!('folder' in way.to)) throw new Error('the reverse tunnel of a swarm starts at a socket')
  const subnets = [networks.nodes, networks.open, networks.closed].map(({ subnet }) => subnet)
  const argv = [
    ...['hub', '--listen', `${ANYWHERE}:${RELAY_PORT}`, ...subnets.flatMap((subnet) => ['--allow', subnet])],
    ...['--to', `unix:${FOLDER}/${way.to.socket}`, '--folder', FOLDER, '--key', KEY_FILE],
  ]
  return part(plan, {
    name: hubName(serviceId),
    mode: { Replicated: { Replicas: 1 } },
    networks: [networks.nodes, networks.open, networks.closed],
    constraints: [`node.id==${manager}`],
    container: {
      ...relay(plan, argv, { Type: 'bind', Source: way.to.folder, Target: FOLDER, ReadOnly: false }),
      ...{ User: way.user ?? '0:0', Groups: [...(way.groups ?? [])] },
    },
  })
}

/** An agent per node with the engine's socket; ends workers when the tunnel is gone. */
export function agentsService(plan: PartsPlan): ServiceSpec {
  const { serviceId, networks, lostMs } = plan
  const argv = [
    ...['agent', '--listen', `${ANYWHERE}:${AGENT_PORT}`, '--allow', networks.nodes.subnet, '--engine', ENGINE],
    ...['--key', KEY_FILE, '--to', `${hubName(serviceId)}:${RELAY_PORT}`],
    ...['--service', serviceId, '--after', String(lostMs / 1000)],
  ]
  return part(plan, {
    name: agentsName(serviceId),
    mode: { Global: {} },
    networks: [networks.nodes],
    constraints: [],
    container: {
      ...relay(plan, argv, { Type: 'bind', Source: NODE_ENGINE, Target: ENGINE, ReadOnly: true }),
      User: '0:0',
    },
  })
}

/**
 * Keeps every node on the workers' networks: while a node on such a network is lost, joining it takes Docker 10 s,
 * which would delay a worker's replacement.
 */
export function keepersService(plan: PartsPlan): ServiceSpec {
  const { serviceId, networks } = plan
  return part(plan, {
    name: keepersName(serviceId),
    mode: { Global: {} },
    networks: [networks.open, networks.closed],
    constraints: [],
    container: { Command: ['sleep', 'infinity'], User: NOBODY },
  })
}

function relay({ program, key }: PartsPlan, argv: readonly string[], mount: object): object {
  return {
    Command: unpackThen(program.unpacked, ['python3', '-m', 'svc_relay', ...argv]),
    Env: [`PYTHONPATH=${RUNTIME_FOLDER}`, 'PYTHONDONTWRITEBYTECODE=1', 'PYTHONUNBUFFERED=1'],
    Mounts: [
      {
        Type: 'tmpfs',
        Target: RUNTIME_FOLDER,
        TmpfsOptions: { SizeBytes: PROGRAM_BYTES, Mode: ANYBODY_MAY_WRITE },
      },
      mount,
    ],
    Configs: [...program.configs],
    Secrets: [{ SecretID: key.id, SecretName: key.name, File: { Name: 'key', UID: '0', GID: '0', Mode: MAY_READ } }],
  }
}

type Part = {
  readonly name: string
  readonly mode: object
  readonly networks: readonly SwarmNetwork[]
  readonly constraints: readonly string[]
  readonly container: object
}

function part({ serviceId, image }: PartsPlan, { name, mode, networks, constraints, container }: Part): ServiceSpec {
  const template = {
    ContainerSpec: {
      Image: image,
      Labels: { [LABELS.service]: serviceId, [LABELS.part]: 'swarm' },
      ...container,
      Init: true,
      ReadOnly: true,
      CapabilityDrop: ['ALL'],
      StopGracePeriod: SECOND_NS,
    },
    Resources: { Limits: { MemoryBytes: MEMORY_BYTES, Pids: MAX_PROCESSES } },
    RestartPolicy: { Condition: 'any', Delay: SECOND_NS },
    Placement: { Constraints: [...constraints] },
    Networks: networks.map(({ id }) => ({ Target: id })),
    LogDriver: { Name: 'json-file', Options: { 'max-size': '1m', 'max-file': '2' } },
  }
  const made = createHash('sha256')
    .update(JSON.stringify([template, mode]))
    .digest('hex')
  return {
    Name: name,
    Labels: { [LABELS.service]: serviceId, [LABELS.part]: 'swarm', [LABELS.made]: made },
    TaskTemplate: template,
    Mode: mode,
    // Resolves to the container: virtual addresses need a kernel feature that some lack.
    EndpointSpec: { Mode: 'dnsrr' },
  }
}
