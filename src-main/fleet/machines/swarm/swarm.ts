/**
 * The way to the nodes of a swarm, made when it is first needed. Its networks are encrypted. Where that lets nothing
 * through (a kernel without ESP, a firewall that drops it), which only trying shows, they are made without, and said so.
 */
import type { Clock, Log } from '../../../services/ports/system.ts'
import type { Connected } from '../../docker/engine.ts'
import { NOT_FOUND, statusOf } from '../../docker/engine-messages.ts'
import { LABELS } from '../../docker/labels.ts'
import type { SwarmNetworks } from './part-services.ts'
import { READY, type SwarmNode, type SwarmNodes } from './swarm-nodes.ts'
import type { createSwarmParts } from './swarm-parts.ts'

/** The way from a service to the nodes of a swarm, and back. */
export type Swarm = {
  readonly nodes: SwarmNodes
  /** Makes it, or gives what is there. Rejects with a reason for a person. */
  readonly ensure: (connected: Connected) => Promise<SwarmNetworks>
  /** The networks, once they are known. */
  readonly networks: () => SwarmNetworks | undefined
  /** Waits until ready nodes answer through their agents, for at most 20 s. */
  readonly settle: () => Promise<void>
  /**
   * Does again what fails while agents begin, which break off connections meanwhile: until 20 s after the first such
   * call, so that many workers of a dead node are not waited for one after the other. Rejects with the last error, and at
   * once with that of a container that is gone.
   */
  readonly whileSettling: <T>(work: () => Promise<T>) => Promise<T>
  /** It is looked at again, as the connection to the manager was lost. */
  readonly forget: () => void
}

/** What it is made of. */
export type SwarmOptions = {
  readonly parts: ReturnType<typeof createSwarmParts>
  readonly nodes: SwarmNodes
  readonly clock: Clock
  readonly log: Log
}

// How long the hub and the agent beside it may take to start, ms; source: ours, an image may have to be pulled.
const START_MS = 120_000
// How long nodes whose agents run may be silent before it is not for them that they are, ms; source: ours.
const SILENT_MS = 10_000
// How long agents that just began are waited for, ms; source: ours, a busy node needs some seconds to start one.
const SETTLE_MS = 20_000
const LOOK_MS = 200
const AGAIN_MS = 1000

/** Makes it; nothing is asked yet. */
export function createSwarm({ parts, nodes, clock, log }: SwarmOptions): Swarm {
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

  /** Whether another node answers, or none is there to be asked. */
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

  // The hub reaches the agent beside it in any case.
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
    ensure(connected) {
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
        // Agents may begin again at any time.
        if (!nodes.all().some(answers)) await someAnswer()
        return networks
      })
    },
    networks: () => known,
    async settle() {
      const isDone = () => nodes.all().every((node) => node.state !== READY || answers(node))
      await until(SETTLE_MS, isDone, '').catch(() => undefined) // who is silent is said by whoever asked
    },
    async whileSettling(work) {
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

/** Whether the engine of a node answers through its agent. One that answered before is out of reach without it. */
export const answers = ({ agent, engine }: SwarmNode) =>
  agent !== undefined && engine.wasConnected() && engine.problem() === undefined

/** Waits. */
export function pause(clock: Pick<Clock, 'after'>, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve))
}

/** @throws Error with a sentence for a person where the engine is not the manager of a swarm */
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

// The hub has to run there, beside the socket of the way back.
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
