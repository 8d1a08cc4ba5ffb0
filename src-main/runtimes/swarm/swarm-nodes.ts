/**
 * Swarm nodes, polled from the manager every second, with engines reached through agents. A node with an unresponsive
 * engine counts as away long before the swarm marks it down.
 */

import type { Clock, Log } from '../../lib/clock.ts'
import { createEmitter } from '../../lib/emitter.ts'
import { type ContainerEvent, createEngine, type Engine } from '../docker/engine.ts'
import { LABELS } from '../docker/labels.ts'
import type { WorkerExit } from '../port.ts'
import type { HubClient } from './hub-client.ts'
import { AGENT_PORT, agentsName } from './part-services.ts'

export type SwarmNode = {
  readonly id: string
  readonly name: string
  readonly role: 'manager' | 'worker'
  readonly state: string
  readonly reason: string | undefined
  readonly cpus: number
  readonly memoryBytes: number
  readonly cards: readonly { readonly kind: string; readonly count: number }[]
  readonly labels: Readonly<Record<string, string>>
  readonly agent: string | undefined
  readonly engine: Engine
}

export type SwarmNodes = ReturnType<typeof createSwarmNodes>

export const READY = 'ready'

const LOOK_MS = 1000
const GENERIC_CARD = /gpu/i

export function createSwarmNodes(deps: {
  readonly serviceId: string
  readonly manager: Engine
  readonly hub: Pick<HubClient, 'agentTo'>
  readonly clock: Clock
  readonly log: Log
}) {
  const { serviceId, manager, hub, clock, log } = deps
  const engines = new Map<string, Engine>()
  const addresses = new Map<string, string>()
  const changes = createEmitter()
  const events = createEmitter<[ContainerEvent]>()
  const engineChanges = createEmitter<[nodeId: string, change: 'connected' | 'lost']>()
  let nodes: readonly SwarmNode[] = []
  let said = ''
  let cancel: (() => void) | undefined
  let isClosed = false

  function engineOf(id: string, name: string): Engine {
    const before = engines.get(id)
    if (before !== undefined) return before
    const agent = hub.agentTo(() => addresses.get(id))
    const place = {
      addresses: () => [{ host: 'its agent', source: `node ${name}`, agent }],
      whyNoEngine: (tried: readonly string[]) => `the engine of node ${name} cannot be reached: ${tried.join('; ')}`,
      isOnLinux: true,
    }
    const engine = createEngine({ clock, log, place, label: LABELS.worker })
    engine.onEvent(events.emit)
    engine.onChange((change) => {
      engineChanges.emit(id, change)
      changes.emit()
    })
    engines.set(id, engine)
    return engine
  }

  async function look(): Promise<void> {
    const { docker } = await manager.connect()
    const filters = { service: [agentsName(serviceId)], 'desired-state': ['running'] }
    const [found, tasks] = await Promise.all([
      docker.listNodes() as Promise<readonly NodeReport[]>,
      docker.listTasks({ filters }).catch(() => []) as Promise<readonly TaskReport[]>,
    ])
    if (isClosed) return
    addresses.clear()
    for (const task of tasks) {
      const address = addressOf(task)
      if (address !== undefined && task.NodeID !== undefined) addresses.set(task.NodeID, address)
    }
    for (const [id, engine] of engines)
      if (!found.some(({ ID }) => ID === id)) {
        engine.close()
        engines.delete(id)
      }
    nodes = found.map((report) => {
      const node = readNode(report)
      const engine = engineOf(node.id, node.name)
      const agent = addresses.get(node.id)
      if (agent !== undefined && engine.problem() === undefined && !engine.wasConnected())
        engine.connect().catch(() => undefined)
      return { ...node, agent, engine }
    })
    const now = JSON.stringify(nodes.map(({ engine: _, ...node }) => node))
    if (now === said) return
    said = now
    changes.emit()
  }

  function lookAgain(): void {
    if (isClosed) return
    cancel = clock.after(LOOK_MS, () => {
      // Without the manager, nodes are unknown; its engine has the reason.
      const looked = manager.problem() === undefined && manager.wasConnected() ? look() : Promise.resolve()
      looked.catch((error) => log.warn('nodes of a swarm not read', { error })).finally(lookAgain)
    })
  }

  lookAgain()
  return {
    all: (): readonly SwarmNode[] => nodes,
    get: (id: string): SwarmNode | undefined => nodes.find((node) => node.id === id),
    look,
    onChange: changes.on,
    onEvent: events.on,
    onEngine: engineChanges.on,
    close() {
      isClosed = true
      cancel?.()
      for (const engine of engines.values()) engine.close()
    },
  }
}

export function whyAway({ name, state, reason, engine }: SwarmNode): string | undefined {
  if (state === 'down') return `node ${name} is down${reason === undefined ? '' : `: ${reason}`}`
  return engine.wasConnected() && engine.problem() !== undefined ? `node ${name} does not answer` : undefined
}

export function withReasonOfNode(exit: WorkerExit, node: SwarmNode | undefined): WorkerExit {
  if (exit.blameless !== true || node === undefined) return exit
  const reason = node.state === 'drained' ? `its node ${node.name} was drained` : (whyAway(node) ?? exit.reason)
  return { ...exit, reason }
}

/** A task as reported; source: Docker's API, only what is used. */
export type TaskReport = {
  readonly ID: string
  readonly ServiceID?: string
  readonly NodeID?: string
  readonly DesiredState?: string
  readonly Status?: {
    readonly State?: string
    readonly Err?: string
    readonly Message?: string
    readonly ContainerStatus?: { readonly ContainerID?: string; readonly ExitCode?: number }
  }
  readonly NetworksAttachments?: readonly {
    readonly Network?: { readonly Spec?: { readonly Name?: string } }
    readonly Addresses?: readonly string[]
  }[]
}

type NodeReport = {
  readonly ID: string
  readonly Spec?: {
    readonly Role?: string
    readonly Availability?: string
    readonly Labels?: Readonly<Record<string, string>>
  }
  readonly Status?: { readonly State?: string; readonly Message?: string }
  readonly Description?: {
    readonly Hostname?: string
    readonly Resources?: {
      readonly NanoCPUs?: number
      readonly MemoryBytes?: number
      readonly GenericResources?: readonly {
        readonly NamedResourceSpec?: { readonly Kind: string }
        readonly DiscreteResourceSpec?: { readonly Kind: string; readonly Value: number }
      }[]
    }
  }
}

const NANO = 1e9
const AVAILABILITY: Readonly<Record<string, string>> = { drain: 'drained', pause: 'paused' }

function readNode(report: NodeReport): Omit<SwarmNode, 'agent' | 'engine'> {
  const { ID, Spec = {}, Status = {}, Description = {} } = report
  const { Resources = {} } = Description
  const state = Status.State ?? 'unknown'
  const cards = new Map<string, number>()
  for (const { NamedResourceSpec, DiscreteResourceSpec } of Resources.GenericResources ?? []) {
    const kind = NamedResourceSpec?.Kind ?? DiscreteResourceSpec?.Kind ?? ''
    if (GENERIC_CARD.test(kind)) cards.set(kind, (cards.get(kind) ?? 0) + (DiscreteResourceSpec?.Value ?? 1))
  }
  return {
    id: ID,
    name: Description.Hostname ?? ID,
    role: Spec.Role === 'manager' ? 'manager' : 'worker',
    state: state === READY ? (AVAILABILITY[Spec.Availability ?? ''] ?? state) : state,
    reason: Status.Message || undefined,
    cpus: (Resources.NanoCPUs ?? 0) / NANO,
    memoryBytes: Resources.MemoryBytes ?? 0,
    cards: [...cards].map(([kind, count]) => ({ kind, count })),
    labels: Spec.Labels ?? {},
  }
}

function addressOf({ Status, NetworksAttachments = [] }: TaskReport): string | undefined {
  if (Status?.State !== 'running') return undefined
  const address = NetworksAttachments.find(({ Network }) => Network?.Spec?.Name?.endsWith('-nodes'))?.Addresses?.[0]
  return address === undefined ? undefined : `${address.split('/', 1)[0]}:${AGENT_PORT}`
}
