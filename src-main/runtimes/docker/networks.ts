/**
 * Worker networks with and without internet access, without contact between workers. The service listens on their
 * gateways.
 */
import type Docker from 'dockerode'
import { HOST_OF_CONTAINERS, LOOPBACK } from '../../lib/own-addresses.ts'
import type { EndpointHosts, ServiceReach } from '../port.ts'
import type { Connected } from './engine.ts'
import type { EngineHost, WorkerPort } from './engine-host.ts'
import { CONFLICT, NOT_FOUND, statusOf } from './engine-messages.ts'

export type WorkerNetwork = {
  readonly name: string
  readonly reach: ServiceReach
  readonly endpointHosts: Pick<EndpointHosts, 'url'> & {
    readonly address: string
  }
  readonly extraHosts: readonly string[]
}

export type WorkerNetworks = ReturnType<typeof createWorkerNetworks>

/** Resolved by the engine to this machine. Source: Docker. */
const HOST_GATEWAY = 'host-gateway'

export function createWorkerNetworks(deps: {
  readonly serviceId: string
  readonly labels: Readonly<Record<string, string>>
  readonly open: EngineHost['openForWorkers']
}) {
  const { serviceId, labels, open } = deps
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
    async reopen(connected: Connected, names: readonly string[]) {
      for (const egress of [true, false]) if (names.includes(nameOf(egress))) await get(connected, egress)
    },
    forget: () => known.clear(),
    async remove(docker: Docker) {
      known.clear()
      await Promise.all(
        [true, false].map((egress) =>
          docker
            .getNetwork(nameOf(egress))
            .remove()
            .catch(() => undefined),
        ),
      )
    },
  }
}

// IP addresses have no subdomains, so the service gets a name.
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
    // Two concurrent creations, or no free network addresses left.
    if (statusOf(error) !== CONFLICT)
      throw new Error(`the network for workers could not be created: ${(error as Error).message}`)
  }
  return readGateway()
}
