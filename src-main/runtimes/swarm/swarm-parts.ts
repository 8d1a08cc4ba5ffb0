/** The networks, key, hub and agents outlive the service; the next run reuses or replaces them. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Connected } from '../docker/engine.ts'
import { CONFLICT, engineMessage, ifThere, NOT_FOUND, statusOf } from '../docker/engine-messages.ts'
import { LABELS } from '../docker/labels.ts'
import { RUNTIME_FOLDER } from '../docker/mounts.ts'
import { UNWATCHED } from '../remote/machine-options.ts'
import type { TunnelThere } from '../remote/relay-containers.ts'
import {
  agentsName,
  agentsService,
  hubName,
  hubService,
  keepersName,
  keepersService,
  type PartsPlan,
  type ServiceSpec,
  type SwarmNetwork,
  type SwarmNetworks,
} from './part-services.ts'
import type { createSentConfigs } from './sent-configs.ts'

type Docker = Connected['docker']

const PROGRAM = 'svc_relay'
const KEY_BYTES = 32
const TRIES = 100
const PAUSE_MS = 100

export function createSwarmParts(options: {
  readonly serviceId: string
  readonly pythonPath: string
  readonly configs: ReturnType<typeof createSentConfigs>
  readonly image: (connected: Connected) => Promise<string>
  readonly way: () => Promise<TunnelThere>
  readonly lostMs: number
}) {
  const { serviceId, pythonPath, configs, image, way, lostMs } = options
  const labels = { [LABELS.service]: serviceId }
  const filters = { label: [`${LABELS.service}=${serviceId}`] }
  const networkNames = {
    nodes: `drydock-${serviceId}-nodes`,
    open: `drydock-${serviceId}`,
    closed: `drydock-${serviceId}-closed`,
  }

  async function network(docker: Docker, name: string, how: { internal: boolean; encrypted: boolean }) {
    const found = await inspectNetwork(docker, name)
    if (found !== undefined && found.subnet !== '') return found
    try {
      await docker.createNetwork({
        Name: name,
        CheckDuplicate: true,
        Driver: 'overlay',
        Internal: how.internal,
        Attachable: false,
        Labels: labels,
        Options: how.encrypted ? { encrypted: '' } : {},
      })
    } catch (error) {
      if (statusOf(error) !== CONFLICT) throw error
    }
    for (let tried = 1; tried < TRIES; tried++) {
      const made = await inspectNetwork(docker, name)
      if (made !== undefined && made.subnet !== '') return made
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
    throw new Error(`the network ${name} got no addresses`)
  }

  async function networks(docker: Docker, encrypted: boolean): Promise<SwarmNetworks> {
    const nodes = await network(docker, networkNames.nodes, { internal: true, encrypted })
    const open = await network(docker, networkNames.open, { internal: false, encrypted })
    const closed = await network(docker, networkNames.closed, { internal: true, encrypted })
    return { nodes, open, closed, isEncrypted: nodes.isEncrypted && open.isEncrypted && closed.isEncrypted }
  }

  async function keyOf(docker: Docker): Promise<PartsPlan['key']> {
    const name = `drydock-${serviceId}-key`
    const found = (await docker.listSecrets({ filters: { name: [name] } })) as unknown as {
      readonly ID: string
      readonly Spec: { readonly Name: string }
    }[]
    const before = found.find(({ Spec }) => Spec.Name === name)
    if (before !== undefined) return { id: before.ID, name }
    const Data = randomBytes(KEY_BYTES).toString('base64')
    const { id } = await docker.createSecret({ Name: name, Labels: labels, Data })
    return { id, name }
  }

  async function ensureService(docker: Docker, spec: ServiceSpec): Promise<void> {
    const service = docker.getService(spec.Name)
    try {
      const { Spec } = await service.inspect()
      if (Spec?.Labels?.[LABELS.made] === spec.Labels[LABELS.made]) return
      await service.remove()
    } catch (error) {
      if (statusOf(error) !== NOT_FOUND) throw error
    }
    await docker.createService(spec)
  }

  async function removeServices(docker: Docker): Promise<void> {
    for (const name of [hubName(serviceId), agentsName(serviceId), keepersName(serviceId)])
      await docker.getService(name).remove().catch(ifThere)
  }

  return {
    async ensure(connected: Connected, encrypted: boolean): Promise<SwarmNetworks> {
      const { docker } = connected
      const manager = String((connected.facts.info.Swarm as { NodeID?: string } | undefined)?.NodeID ?? '')
      try {
        const made = await networks(docker, encrypted)
        const target = `${RUNTIME_FOLDER}/${PROGRAM}`
        const folder = { path: join(pythonPath, PROGRAM), kind: 'packed', target } as const
        const program = await configs.send(docker, [folder], UNWATCHED.signal)
        const parts = { program, networks: made, key: await keyOf(docker), way: await way(), manager }
        const plan = { serviceId, image: await image(connected), lostMs, ...parts }
        await ensureService(docker, hubService(plan))
        await ensureService(docker, agentsService(plan))
        await ensureService(docker, keepersService(plan))
        await configs.removeOld(docker)
        return made
      } catch (error) {
        throw new Error(`the nodes of the swarm could not be connected: ${engineMessage(error)}`, {
          cause: error,
        })
      }
    },
    removeServices,
    async removeNetworks(docker: Docker): Promise<void> {
      await removeServices(docker)
      for (const name of Object.values(networkNames)) await removeNetwork(docker, name)
    },
    async remove(docker: Docker): Promise<void> {
      await removeServices(docker)
      for (const name of Object.values(networkNames)) await removeNetwork(docker, name).catch(() => undefined)
      const secrets = (await docker.listSecrets({ filters })) as unknown as { readonly ID: string }[]
      for (const { ID } of secrets) await docker.getSecret(ID).remove().catch(ifThere)
      await configs.removeOld(docker)
    },
  }
}

async function inspectNetwork(
  docker: Docker,
  name: string,
): Promise<(SwarmNetwork & { readonly isEncrypted: boolean }) | undefined> {
  const found = await docker.getNetwork(name).inspect().catch(ifThere)
  if (found === undefined) return undefined
  const subnet = String(found.IPAM?.Config?.[0]?.Subnet ?? '')
  return { id: found.Id, name, subnet, isEncrypted: found.Options?.encrypted !== undefined }
}

/** Retries, because a container that just ended may hold the network for a moment. */
async function removeNetwork(docker: Docker, name: string): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      await docker.getNetwork(name).remove()
    } catch (error) {
      if (statusOf(error) === NOT_FOUND && (await inspectNetwork(docker, name)) === undefined) return
      if (tried === TRIES) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}
