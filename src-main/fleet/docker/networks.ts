/**
 * The networks of the workers: one from which other machines can be reached, one from which they cannot. Workers do not
 * reach each other on either. On the gateway of a network listens the service, for them alone.
 */
import type Docker from 'dockerode'
import { HOST_OF_CONTAINERS, LOOPBACK } from '../../domain/own-addresses.ts'
import type { EndpointHosts, ServiceReach } from '../../services/ports/fleet.ts'
import type { Connected } from './engine.ts'
import { NOT_FOUND, statusOf } from './engine-messages.ts'
import type { DockerPlace, WorkerPort } from './place.ts'

/** A network with the way from it to the service. */
export type WorkerNetwork = {
  readonly name: string
  readonly reach: ServiceReach
  /** For containers that call endpoints as hosts. */
  readonly endpointHosts: Pick<EndpointHosts, 'url'> & {
    /** What the engine resolves such a host to. */
    readonly address: string
  }
  /** Names that containers on it need to have resolved, like `host.docker.internal:host-gateway`. */
  readonly extraHosts: readonly string[]
}

/** The networks of this service. */
export type WorkerNetworks = {
  /** The network, made where it is missing. Rejects with a reason for a person. */
  readonly get: (connected: Connected, egress: boolean) => Promise<WorkerNetwork>
  /** Listens again for containers of an earlier run that are on these networks. */
  readonly reopen: (connected: Connected, names: readonly string[]) => Promise<void>
  /** The engine went away, and with it perhaps the networks. */
  readonly forget: () => void
  /** Removes those that no container uses. */
  readonly remove: (docker: Docker) => Promise<void>
}

/** What the engine makes the address of this machine. Source: Docker. */
const HOST_GATEWAY = 'host-gateway'
/** Status of the engine for a network that another start is creating. */
const CONFLICT = 409

/**
 * Makes what creates and removes networks of workers.
 * @param open makes the service answer workers at an address of the engine's machine
 */
export function createWorkerNetworks({
  serviceId,
  labels,
  open,
}: {
  readonly serviceId: string
  readonly labels: Readonly<Record<string, string>>
  readonly open: DockerPlace['openForWorkers']
}): WorkerNetworks {
  const known = new Map<string, Promise<WorkerNetwork>>()
  const nameOf = (egress: boolean) => `drydock-${serviceId}${egress ? '' : '-closed'}`

  async function make(connected: Connected, egress: boolean): Promise<WorkerNetwork> {
    const { docker, facts } = connected
    const name = nameOf(egress)
    const gateway = await gatewayOf(docker, name, { egress, labels })
    if (!facts.inVirtualMachine && !facts.rootless && gateway !== undefined) {
      return { name, ...reachAt(gateway, await open(gateway, connected), gateway), extraHosts: [] }
    }
    const opened = await open(LOOPBACK, connected)
    const extraHosts = [`${HOST_OF_CONTAINERS}:${HOST_GATEWAY}`]
    return { name, ...reachAt(HOST_OF_CONTAINERS, opened, HOST_GATEWAY), extraHosts }
  }

  function get(connected: Connected, egress: boolean): Promise<WorkerNetwork> {
    const name = nameOf(egress)
    const network = known.get(name) ?? make(connected, egress)
    known.set(name, network)
    network.catch(() => known.delete(name))
    return network
  }

  return {
    get,
    async reopen(connected, names) {
      for (const egress of [true, false]) if (names.includes(nameOf(egress))) await get(connected, egress)
    },
    forget: () => known.clear(),
    async remove(docker) {
      known.clear()
      await Promise.all(
        [true, false].map(
          (egress) =>
            docker
              .getNetwork(nameOf(egress))
              .remove()
              .catch(() => undefined), // never made, or in use by what is not ours
        ),
      )
    },
  }
}

// An IP address has no hosts below it, so for these the service has its name.
const reachAt = (
  host: string,
  { port, isElsewhere }: WorkerPort,
  address: string,
): Pick<WorkerNetwork, 'reach' | 'endpointHosts'> => {
  const url = `http://${host}:${port}`
  return {
    reach: { workerUrl: url, serviceUrl: url, isElsewhere },
    endpointHosts: { url: `http://${HOST_OF_CONTAINERS}:${port}`, address },
  }
}

async function gatewayOf(
  docker: Docker,
  name: string,
  { egress, labels }: { readonly egress: boolean; readonly labels: Readonly<Record<string, string>> },
): Promise<string | undefined> {
  const readGateway = async () =>
    (await docker.getNetwork(name).inspect()).IPAM?.Config?.[0]?.Gateway as string | undefined
  try {
    return await readGateway()
  } catch (error) {
    if (statusOf(error) !== NOT_FOUND) throw error
  }
  try {
    await docker.createNetwork({
      Name: name,
      CheckDuplicate: true,
      Driver: 'bridge',
      Internal: !egress,
      Labels: { ...labels },
      Options: { 'com.docker.network.bridge.enable_icc': 'false' },
    })
  } catch (error) {
    // Two starts at once, or no more addresses to give.
    if (statusOf(error) !== CONFLICT)
      throw new Error(`the network for workers could not be created: ${(error as Error).message}`)
  }
  return readGateway()
}
