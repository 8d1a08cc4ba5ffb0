import { LOOPBACK, OWN_PORTS } from '../../lib/own-addresses.ts'
import type { Connected } from '../docker/engine.ts'
import type { EngineHost } from '../docker/engine-host.ts'
import { type ContainerPorts, containerAddress } from '../docker/labels.ts'
import type { WorkerAddress } from '../port.ts'
import { findRemoteEngine, remoteCards } from './remote-host.ts'
import { createRemoteMounts, foldersBySsh, type RemoteMountsOptions } from './remote-mounts.ts'
import { createForwardedSocket, createRemotePorts, type RemotePortsOptions } from './remote-ports.ts'

export type RemoteHostOptions = Pick<RemoteMountsOptions, 'files' | 'pythonPath' | 'networkVolumes' | 'bundle'> &
  RemotePortsOptions & {
    readonly openForWorkers: EngineHost['openForWorkers']
  }

const HEX = 16

export function remoteHost(options: RemoteHostOptions): EngineHost {
  const { machine, link, log, freePort, openForWorkers } = options
  const engineSocket = createForwardedSocket(link, 'engine', (connection) => findRemoteEngine(connection, machine))
  const openPort = createRemotePorts({ machine, link, log, freePort })
  const addresses = new Map<string, { readonly address: Promise<WorkerAddress>; readonly giveBack: () => void }>()
  const mounts = createRemoteMounts({ ...options, ownFolder: foldersBySsh(options) })

  function forwardTo(state: Parameters<EngineHost['addressOf']>[0], ports: ContainerPorts) {
    const { host, port, healthPort } = containerAddress(state, ports, false)
    const given: (() => void)[] = []
    // A stable port, so that adopted workers keep it if free.
    const wanted = (inside: number) =>
      OWN_PORTS.from + ((Number.parseInt(state.Id.slice(0, 8), HEX) + inside) % OWN_PORTS.count)
    const forward = async (inside: number) => {
      const opened = await openPort(`${host}:${inside}`, wanted(inside))
      given.push(opened.giveBack)
      return opened.port
    }
    const forwardBoth = async () => {
      const local = await forward(port)
      return { host: LOOPBACK, port: local, healthPort: healthPort === port ? local : await forward(healthPort) }
    }
    const giveBack = () => {
      for (const one of given) one()
    }
    return { address: forwardBoth(), giveBack }
  }

  return {
    addresses: async () => [{ host: `unix://${await engineSocket()}`, source: machine }],
    whyNoEngine: () => `the Docker engine of ${machine} does not answer. Start it there`,
    isOnLinux: true,
    async openForWorkers(host, connected) {
      refuseHidden(connected, machine)
      return openForWorkers(host, connected)
    },
    send: (spec, _connected, watch) => mounts.send(spec, watch),
    mounts: mounts.find,
    async addressOf(state, ports, connected): Promise<WorkerAddress> {
      refuseHidden(connected, machine)
      const known = addresses.get(state.Id) ?? forwardTo(state, ports)
      addresses.set(state.Id, known)
      return known.address
    },
    release(containerId) {
      addresses.get(containerId)?.giveBack()
      addresses.delete(containerId)
    },
    ...remoteCards(link.connection),
    // Sent files are world-readable and have no remote owner.
    user: undefined,
  }
}

// Networks of such engines are unreachable by ssh and relays.
function refuseHidden({ facts }: Connected, machine: string): void {
  if (facts.inVirtualMachine || facts.rootless)
    throw new Error(
      `the Docker engine of ${machine} is rootless or in a virtual machine, so that workers on it cannot be reached. Use an engine that runs as root there`,
    )
}
