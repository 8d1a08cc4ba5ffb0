import type { Clock } from '../../lib/clock.ts'
import { pause } from '../../lib/wait.ts'
import type { RegistryLogin } from '../docker/docker-login.ts'
import type { Connected } from '../docker/engine.ts'
import { engineMessage, ifThere, NOT_FOUND, statusOf } from '../docker/engine-messages.ts'
import type { ServiceSpec } from './part-services.ts'
import { type SwarmNodes, type TaskReport, whyAway } from './swarm-nodes.ts'

type Docker = Connected['docker']

export type Placed = { readonly nodeId: string; readonly containerId: string }

export class NoSuitableNode extends Error {
  /** Nodes that might have been suitable were left out because they did not answer. */
  readonly isTransient: boolean

  constructor(message: string, { isTransient = false, ...options }: ErrorOptions & { isTransient?: boolean } = {}) {
    super(message, options)
    this.isTransient = isTransient
  }
}

export class NodeAway extends Error {}

// Time for the scheduler to find a node, ms; source: ours.
const NO_NODE_MS = 1500
const LOOK_MS = 100
const ENDED = new Set(['complete', 'failed', 'shutdown', 'rejected', 'orphaned', 'remove'])
const NO_NODE = /^no suitable node/

/**
 * The service exists even on failure.
 * @throws NoSuitableNode, NodeAway, or an Error with the reason
 * @param signal ends the wait
 */
export async function startService(
  docker: Docker,
  spec: ServiceSpec,
  around: {
    readonly login: RegistryLogin | undefined
    readonly nodes: Pick<SwarmNodes, 'get'>
    readonly clock: Clock
    readonly signal: AbortSignal
  },
): Promise<Placed> {
  const { login, nodes, clock, signal } = around
  if (login === undefined) await docker.createService(spec)
  else await docker.createService(login as Parameters<Docker['createService']>[0], spec)
  let pendingSince: number | undefined
  for (;;) {
    signal.throwIfAborted()
    const [task] = (await docker.listTasks({ filters: { service: [spec.Name] } })) as readonly TaskReport[]
    const { State = '', Err = '', ContainerStatus } = task?.Status ?? {}
    const containerId = ContainerStatus?.ContainerID
    if (task?.NodeID !== undefined && containerId && (State === 'running' || ENDED.has(State))) {
      if (State === 'rejected') throw new Error(Err)
      return { nodeId: task.NodeID, containerId }
    }
    if (ENDED.has(State)) throw new Error(Err || `the swarm ended it: ${State}`)
    if (NO_NODE.test(Err)) {
      pendingSince ??= clock.steady()
      if (clock.steady() - pendingSince > NO_NODE_MS) throw new NoSuitableNode(Err)
    }
    const node = task?.NodeID === undefined ? undefined : nodes.get(task.NodeID)
    const away = node === undefined ? undefined : whyAway(node)
    if (away !== undefined) throw new NodeAway(away)
    await pause(clock, LOOK_MS)
  }
}

export async function hasEnded(docker: Docker, name: string): Promise<boolean> {
  const [task] = (await docker.listTasks({ filters: { service: [name] } })) as readonly TaskReport[]
  return task === undefined || ENDED.has(task.Status?.State ?? '')
}

export async function removeService(docker: Docker, name: string): Promise<void> {
  await docker.getService(name).remove().catch(ifThere)
  await removeSecret(docker, name)
}

// A service that was just removed may still hold the secret.
const TRIES = 50

async function removeSecret(docker: Docker, name: string): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      return await docker.getSecret(name).remove()
    } catch (error) {
      if (statusOf(error) === NOT_FOUND) return
      if (tried === TRIES) throw new Error(engineMessage(error), { cause: error })
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }
}
