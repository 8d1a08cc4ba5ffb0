/**
 * Connects to a swarm's nodes on demand over encrypted networks. If encryption blocks all traffic, which only a test
 * shows, networks are recreated without it and reported.
 */
import type { Clock, Log } from '../../lib/clock.ts'
import { pause } from '../../lib/wait.ts'
import type { Connected } from '../docker/engine.ts'
import { NOT_FOUND, statusOf } from '../docker/engine-messages.ts'
import { LABELS } from '../docker/labels.ts'
import type { SwarmNetworks } from './part-services.ts'
import { READY, type SwarmNode, type SwarmNodes } from './swarm-nodes.ts'
import type { createSwarmParts } from './swarm-parts.ts'

export type Swarm = ReturnType<typeof createSwarm>

// Start limit of hub and agent, ms; source: ours, an image may be pulled.
const START_MS = 120_000
// Silence of running agents before the network is blamed, ms; source: ours.
const SILENT_MS = 10_000
// Wait for starting agents, ms; source: ours, busy nodes need seconds.
const SETTLE_MS = 20_000
const LOOK_MS = 200
const AGAIN_MS = 1000

export function createSwarm(options: {
  readonly parts: ReturnType<typeof createSwarmParts>
  readonly nodes: SwarmNodes
  readonly clock: Clock
  readonly log: Log
}) {
  const { parts, nodes, clock, log } = options
  let making: Promise<SwarmNetworks> | undefined
  let known: SwarmNetworks | undefined
  let settlesUntil: number | undefined

  async function make(connected: Connected): Promise<SwarmNetworks> {
    refuseNoManager(connected)
    await nodes.look()
    refuseDrained(connected, nodes.all())
    const networks = await parts.ensure(connected, true)
    await someAnswer()
    if (!networks.isEncrypted || (await isReached()) || (await hasWorkers(connected))) return networks
    log.warn('the nodes of a swarm do not reach each other over an encrypted network', {})
    await parts.removeNetworks(connected.docker)
    const plain = await parts.ensure(connected, false)
    await someAnswer()
    return plain
  }

  async function isReached(): Promise<boolean> {
    let silentSince: number | undefined
    for (;;) {
      await nodes.look()
      const others = nodes.all().filter((node) => node.state === READY && !isManagerItself(node))
      if (others.length === 0 || others.some(answers)) return true
      if (others.some(({ agent }) => agent !== undefined)) silentSince ??= clock.steady()
      if (silentSince !== undefined && clock.steady() - silentSince > SILENT_MS) return false
      await pause(clock, LOOK_MS)
    }
  }

  const isManagerItself = (node: SwarmNode) => node.role === 'manager' && answers(node)

  const someAnswer = () =>
    until(START_MS, () => nodes.all().some(answers), 'the hub of the swarm does not answer. See its service there')

  async function until(limitMs: number, isDone: () => boolean, otherwise: string): Promise<void> {
    const end = clock.steady() + limitMs
    for (;;) {
      await nodes.look()
      if (isDone()) return
      if (clock.steady() > end) throw new Error(otherwise)
      await pause(clock, LOOK_MS)
    }
  }

  return {
    nodes,
    ensure(connected: Connected): Promise<SwarmNetworks> {
      const attempt = making ?? make(connected)
      making = attempt
      attempt.then(
        (networks) => {
          known = networks
        },
        () => {
          if (making === attempt) making = undefined
        },
      )
      return attempt.then(async (networks) => {
        if (!nodes.all().some(answers)) await someAnswer()
        return networks
      })
    },
    networks: () => known,
    /** Waits up to 20 s until ready nodes answer. */
    async settle(): Promise<void> {
      const isDone = () => nodes.all().every((node) => node.state !== READY || answers(node))
      await until(SETTLE_MS, isDone, '').catch(() => undefined)
    },
    /**
     * Retries work while agents start and break connections, until 20 s after the first such call, so that a dead
     * node's workers do not wait in sequence. Rejects with the last error, or at once if the container is gone.
     */
    async whileSettling<T>(work: () => Promise<T>): Promise<T> {
      settlesUntil ??= clock.steady() + SETTLE_MS
      for (;;) {
        try {
          return await work()
        } catch (error) {
          if (statusOf(error) === NOT_FOUND || clock.steady() >= settlesUntil) throw error
          await pause(clock, AGAIN_MS)
          await nodes.look().catch(() => undefined)
        }
      }
    },
    forget() {
      making = undefined
    },
  }
}

export const answers = ({ agent, engine }: SwarmNode) =>
  agent !== undefined && engine.wasConnected() && engine.problem() === undefined

/** @throws Error for the user if the engine is not a swarm manager */
export function refuseNoManager({ facts }: Connected): void {
  const { ControlAvailable, LocalNodeState } = (facts.info.Swarm ?? {}) as {
    readonly ControlAvailable?: boolean
    readonly LocalNodeState?: string
  }
  if (ControlAvailable === true) return
  throw new Error(
    LocalNodeState === 'active'
      ? 'its engine is a worker of a swarm. Add a manager of it instead'
      : 'its engine is in no swarm. Make one there: docker swarm init',
  )
}

// The hub needs this node, next to the tunnel's socket.
function refuseDrained({ facts }: Connected, all: readonly SwarmNode[]): void {
  const id = (facts.info.Swarm as { readonly NodeID?: string } | undefined)?.NodeID
  const manager = all.find((node) => node.id === id)
  if (manager !== undefined && manager.state !== READY)
    throw new Error(
      `the manager ${manager.name} is ${manager.state}, so the reverse tunnel cannot start there. Set it active (docker node update --availability active ${manager.name}), and keep workers off it with the placement node.role==worker`,
    )
}

async function hasWorkers({ docker }: Connected): Promise<boolean> {
  return (await docker.listServices({ filters: { label: [LABELS.worker] } })).length > 0
}
