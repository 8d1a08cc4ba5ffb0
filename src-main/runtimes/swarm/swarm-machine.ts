import { join } from 'node:path'
import { limit } from '../../contract/limits.ts'
import type { MachineFacts } from '../../contract/machines.ts'
import type { MachineDriver, TestWatch } from '../../features/machines/ports.ts'
import { LOOPBACK, OWN_PORTS } from '../../lib/own-addresses.ts'
import { type Connected, createEngine } from '../docker/engine.ts'
import { engineMessage } from '../docker/engine-messages.ts'
import { createImageStore } from '../docker/images.ts'
import { type ContainerPorts, LABELS } from '../docker/labels.ts'
import type { WorkerAddress } from '../port.ts'
import { createEngineUse, factsOfEngine } from '../remote/engine-facts.ts'
import { watchEngine } from '../remote/engine-machine.ts'
import { type MachineBy, type MachineOptions, UNWATCHED } from '../remote/machine-options.ts'
import { findRemoteEngine, readHostFacts } from '../remote/remote-host.ts'
import { foldersBySsh } from '../remote/remote-mounts.ts'
import { createForwardedSocket, createRemotePorts, type RemotePort } from '../remote/remote-ports.ts'
import { createRemoteSocket, removeRemoteFolder } from '../remote/remote-socket.ts'
import { createSshLink, type SshLink, testLogin } from '../remote/ssh-link.ts'
import { createHubClient } from './hub-client.ts'
import { createNodeFiles } from './node-files.ts'
import { pinnedImage } from './node-images.ts'
import { hubName, RELAY_PORT } from './part-services.ts'
import { createSentConfigs } from './sent-configs.ts'
import { answers, createSwarm, refuseNoManager } from './swarm.ts'
import { createSwarmFleet } from './swarm-fleet.ts'
import { createSwarmNodes, type SwarmNode } from './swarm-nodes.ts'
import { createSwarmParts } from './swarm-parts.ts'
import { testSwarm } from './test-swarm.ts'

const HUB_SOCKET = 'hub.sock'

export type SwarmConnectionOptions = Pick<
  MachineOptions,
  'clock' | 'log' | 'pythonPath' | 'surroundings' | 'resources' | 'version' | 'registryAuth' | 'freePort' | 'tunnel'
> & {
  readonly machine: string
  readonly id: string
  readonly link: SshLink
}

export function createSwarmConnection(options: SwarmConnectionOptions) {
  const { machine, id, link, clock, log, tunnel, pythonPath } = options
  const way = createRemoteSocket({ link, machine, id, open: tunnel.open })
  const engineSocket = createForwardedSocket(link, 'engine', (connection) => findRemoteEngine(connection, machine))
  const hubSocket = createForwardedSocket(link, 'hub', async () => {
    const { to } = await way()
    return 'folder' in to ? `${to.folder}/${HUB_SOCKET}` : ''
  })
  const place = {
    addresses: async () => [{ host: `unix://${await engineSocket()}`, source: machine }],
    whyNoEngine: () => `the Docker engine of ${machine} does not answer. Start it there`,
    isOnLinux: true,
  }
  const engine = createEngine({ clock, log, place, label: `${LABELS.service}=${id}` })
  const images = createImageStore(options)
  const hub = createHubClient(hubSocket)
  const configs = createSentConfigs(id, clock.now)
  const nodes = createSwarmNodes({ serviceId: id, manager: engine, hub, clock, log })
  async function image(connected: Connected): Promise<string> {
    const name = await images.ensurePython(connected, UNWATCHED)
    return (await pinnedImage(connected.docker, name)).ref
  }
  const parts = createSwarmParts({
    ...{ serviceId: id, pythonPath, configs, way, lostMs: limit('tunnelLostMs'), image },
  })
  const files = createNodeFiles({
    ...{ serviceId: id, pythonPath, engine, nodes, hub, machine, clock, log },
    image: async () => image(await engine.connect()),
  })
  const swarm = createSwarm({ parts, nodes, clock, log })
  const host = `${hubName(id)}:${RELAY_PORT}`
  tunnel.answerTo(host)
  const url = `http://${host}`
  return {
    engine,
    hub,
    configs,
    files,
    modelFolder: foldersBySsh({ machine, link }),
    nodes,
    parts,
    swarm,
    way,
    reach: { workerUrl: url, serviceUrl: url, isElsewhere: true },
  }
}

export function createWorkerPorts(
  deps: Pick<SwarmConnectionOptions, 'machine' | 'link' | 'log' | 'freePort'> &
    Pick<ReturnType<typeof createSwarmConnection>, 'hub' | 'way'>,
) {
  const { machine, link, log, freePort, hub, way } = deps
  const openPort = createRemotePorts({ machine, link, log, freePort })
  const opened = new Map<string, RemotePort[]>()

  async function open(worker: { readonly id: string; readonly host: string }, inside: number): Promise<number> {
    const { to } = await way()
    const socket = `${'folder' in to ? to.folder : ''}/${await hub.listen(worker.host, inside)}`
    const hash = [...`${worker.id} ${inside}`].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 0)
    const port = await openPort(socket, OWN_PORTS.from + (hash % OWN_PORTS.count))
    opened.set(worker.id, [...(opened.get(worker.id) ?? []), port])
    return port.port
  }

  return {
    async addressOf(
      worker: { readonly id: string; readonly host: string },
      { port, healthPort = port }: ContainerPorts,
    ): Promise<WorkerAddress> {
      const local = await open(worker, port)
      return { host: LOOPBACK, port: local, healthPort: healthPort === port ? local : await open(worker, healthPort) }
    },
    release(workerId: string) {
      for (const { giveBack } of opened.get(workerId) ?? []) giveBack()
      opened.delete(workerId)
    },
  }
}

export function openSwarmMachine(machine: MachineBy<'ssh'>, options: MachineOptions): MachineDriver {
  const { name, id, way } = machine
  const { clock, log } = options
  const folder = join(options.folder, 'ssh')
  const link = createSshLink({ target: way, env: options.surroundings.env, clock, log, folder })
  const to = createSwarmConnection({ ...options, machine: name, id, link })
  const { engine, nodes, parts, swarm } = to
  const ports = createWorkerPorts({ ...options, ...to, machine: name, link })
  const fleet = createSwarmFleet({ ...options, ...to, ...ports, machine: name })
  const watch = watchEngine(fleet, clock)
  link.onChange(watch.look)

  const uses = new Map<string, ReturnType<typeof createEngineUse>>()

  async function diskOfNode(node: SwarmNode): Promise<number | undefined> {
    const use = uses.get(node.id) ?? createEngineUse(clock)
    uses.set(node.id, use)
    return answers(node) ? use.disk((await node.engine.connect()).docker) : undefined
  }

  async function test(asked: TestWatch): Promise<void> {
    if (await testLogin(link, way.to, asked)) await testSwarm({ engine, swarm }, asked)
  }

  async function removeParts({ docker }: Connected): Promise<void> {
    await to.files.close().catch((error) => log.warn('containers with files not removed', { machine: name, error }))
    await parts.removeServices(docker)
    await removeRemoteFolder(link, id)
  }

  return {
    fleet,
    status: watch.status,
    async facts() {
      const connected = await engine.findEngine()
      refuseNoManager(connected)
      await swarm.ensure(connected)
      const [facts, host] = await Promise.all([
        factsOfEngine(fleet),
        readHostFacts(await link.connection(), (await connected.docker.info()).DockerRootDir),
      ])
      const disks = await Promise.all(nodes.all().map(diskOfNode))
      return { ...facts, ...host, ...factsOfNodes(nodes.all(), disks, fleet.list()) }
    },
    test,
    async joinCommands() {
      const { docker, facts } = await engine.findEngine()
      refuseNoManager({ docker, facts })
      const { JoinTokens } = await docker.swarmInspect()
      const { RemoteManagers = [] } = facts.info.Swarm as { readonly RemoteManagers?: readonly { Addr: string }[] }
      const command = (token: string) => `docker swarm join --token ${token} ${RemoteManagers[0]?.Addr ?? ''}`
      return { worker: command(JoinTokens.Worker), manager: command(JoinTokens.Manager) }
    },
    onChange(listener) {
      watch.onChange(listener)
      nodes.onChange(listener)
    },
    async clear() {
      const { docker } = await engine.findEngine()
      await Promise.all(fleet.list().map(({ workerId }) => fleet.stop(workerId, 0)))
      await fleet.sweep()
      // Before the agents, which provide the connection, are gone.
      await to.files
        .removeAll(UNWATCHED)
        .catch((error) => log.warn('files not removed from all nodes', { machine: name, error }))
      await parts.remove(docker)
      await removeRemoteFolder(link, id)
    },
    async close() {
      watch.close()
      if (link.status().state === 'unreachable') await link.close() // does not wait for another login
      const connected = engine.problem() === undefined ? await engine.findEngine().catch(() => undefined) : undefined
      const failed = await fleet.close().then(() => undefined, engineMessage)
      const { state, reason = 'it cannot be reached' } = link.status()
      const isReached = connected !== undefined && state === 'connected'
      const left = isReached ? await removeParts(connected).then(() => undefined, engineMessage) : engine.problem()
      nodes.close()
      await link.close()
      return failed ?? left ?? (isReached ? undefined : reason)
    },
  }
}

function factsOfNodes(
  nodes: readonly SwarmNode[],
  disks: readonly (number | undefined)[],
  workers: readonly { readonly handle: string }[],
): Pick<MachineFacts, 'cpus' | 'memoryBytes' | 'cards' | 'nodes'> {
  const places = workers.map(({ handle }) => JSON.parse(handle).node)
  const cardsOf = ({ cards }: SwarmNode) =>
    cards.flatMap(({ kind, count }) => Array.from({ length: count }, () => ({ name: kind })))
  return {
    cpus: nodes.reduce((sum, { cpus }) => sum + cpus, 0),
    memoryBytes: Math.max(0, ...nodes.map(({ memoryBytes }) => memoryBytes)),
    cards: nodes.flatMap(cardsOf),
    nodes: nodes.map((node, at) => ({
      name: node.name,
      role: node.role,
      state: node.state === 'ready' && !answers(node) ? 'ready, but its engine cannot be reached' : node.state,
      ...(node.reason === undefined ? {} : { reason: node.reason }),
      cpus: node.cpus,
      memoryBytes: node.memoryBytes,
      cards: cardsOf(node),
      workers: places.filter((id) => id === node.id).length,
      ...(disks[at] === undefined ? {} : { dockerDiskBytes: disks[at] }),
    })),
  }
}
