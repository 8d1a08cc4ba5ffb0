import type { ContainerSettings } from '../../contract/container.ts'
import type { Clock } from '../../lib/clock.ts'
import { counted } from '../../lib/text.ts'
import type { Room } from '../rules/choose-machine.ts'
import { READY, type SwarmNode, whyAway } from './swarm-nodes.ts'

export const CARD_LABEL = 'drydock.gpu'
/** Any GPU's name. Source: src-main/contract/container.ts. */
const ANY_CARD = 'ANY'

type Nodes = readonly Pick<SwarmNode, 'name' | 'cards' | 'labels'>[]
type Planned = { readonly container?: ContainerSettings | undefined }
type Wish = Pick<ContainerSettings, 'gpu' | 'gpuCount' | 'gpuShared'>

export type CardWish = {
  readonly cards: { readonly kind: string; readonly count: number }
  readonly constraints: readonly string[]
}

/** @returns undefined if the scheduler may find a node, or else must say why it cannot */
export function noRoom(settings: ContainerSettings | undefined, nodes: readonly SwarmNode[]): Room | undefined {
  const allowed = nodes.filter(allowedNodes(settings, nodes))
  if (allowed.length > 0 && !allowed.some(takesWorkers)) {
    const reasons = allowed.map((node) => whyAway(node) ?? `${node.name} is ${node.state}`)
    return { free: 0, reason: `no suitable node: ${reasons.join('; ')}`, isAway: allowed.some(whyAway) }
  }
  const cards = settings === undefined || nodes.length === 0 ? undefined : cardWish(settings, nodes)
  return cards !== undefined && 'reason' in cards ? { free: 0, reason: cards.reason, never: true } : undefined
}

const takesWorkers = (node: SwarmNode) => node.state === READY && whyAway(node) === undefined

// Pause after the scheduler found no node, ms; source: ours, ended by node changes.
const REFUSED_MS = 5000

/** @param onRetry called when a wish that the scheduler refused may be tried again */
export function createRefusedWishes(clock: Pick<Clock, 'after'>, onRetry: () => void) {
  const rooms = new Map<string, Room>()
  return {
    refuse(plan: Planned, room: Room) {
      const key = wishKey(plan)
      rooms.set(key, room)
      clock.after(REFUSED_MS, () => {
        if (rooms.get(key) !== room) return
        rooms.delete(key)
        onRetry()
      })
    },
    roomFor: (plan: Planned) => rooms.get(wishKey(plan)),
    forget: () => rooms.clear(),
  }
}

function wishKey({ container }: Planned): string {
  const { gpu, gpuCount, memoryBytes, placement } = container ?? {}
  return JSON.stringify([gpu, gpuCount, memoryBytes, placement])
}

/** The GPU request, or why no node could ever meet it; undefined: no GPU. */
export function cardWish(wish: Wish, nodes: Nodes): CardWish | { readonly reason: string } | undefined {
  const { gpu, gpuCount, gpuShared } = wish
  if (gpu === undefined) return undefined
  if (gpuShared) return { reason: 'a swarm cannot share a card: set gpuShared to false' }
  const kinds = [...new Set(nodes.flatMap(({ cards }) => cards.map(({ kind }) => kind)))]
  const [kind] = kinds
  if (kind === undefined) return { reason: `no node of the swarm offers GPUs. ${HOW_TO_CONFIGURE}` }
  const isNamed = gpu !== ANY_CARD
  const named = nodes.filter(({ labels }) => !isNamed || labels[CARD_LABEL] === gpu)
  if (named.length === 0)
    return {
      reason: `no node of the swarm has the label ${CARD_LABEL}=${gpu}. Set it: docker node update --label-add ${CARD_LABEL}=${gpu} NODE`,
    }
  const most = Math.max(...named.map(({ cards }) => cards.find((one) => one.kind === kind)?.count ?? 0))
  if (most < gpuCount)
    return { reason: `a worker wants ${counted(gpuCount, 'GPU')}, and no node offers more than ${most}` }
  return {
    cards: { kind, count: gpuCount },
    constraints: isNamed ? [`node.labels.${CARD_LABEL}==${gpu}`] : [],
  }
}

export function constraintsOf(settings: Pick<ContainerSettings, 'placement'> & Wish, nodes: Nodes): readonly string[] {
  const cards = cardWish(settings, nodes)
  return [...(settings.placement ?? []), ...(cards === undefined || 'reason' in cards ? [] : cards.constraints)]
}

/** Whether a node may run such workers, as far as known here. */
export function allowedNodes(settings: ContainerSettings | undefined, nodes: Nodes): (node: Placed) => boolean {
  const constraints = settings === undefined ? [] : constraintsOf(settings, nodes)
  return (node) => mayTake(node, constraints)
}

type Placed = Pick<SwarmNode, 'id' | 'name' | 'role' | 'labels'>

/**
 * Checks constraints as far as known here; true if only the scheduler can decide.
 * @param constraints in Docker's syntax
 */
export function mayTake(node: Placed, constraints: readonly string[]): boolean {
  return constraints.every((constraint) => {
    const [, name = '', sign, value] = /^\s*([\w.-]+)\s*(==|!=)\s*(.*?)\s*$/.exec(constraint) ?? []
    const known = knownOf(node, name)
    if (sign === undefined || known === undefined) return true
    return (known.toLowerCase() === value?.toLowerCase()) === (sign === '==')
  })
}

const NODE_LABEL = 'node.labels.'

function knownOf({ id, name, role, labels }: Placed, of: string): string | undefined {
  if (of.startsWith(NODE_LABEL)) return labels[of.slice(NODE_LABEL.length)] ?? ''
  return { 'node.id': id, 'node.hostname': name, 'node.role': role }[of]
}

/** How to make a node offer its GPUs. Source: Docker's documentation of generic resources. */
export const HOW_TO_CONFIGURE =
  'On each node with GPUs, put "node-generic-resources": ["NVIDIA-GPU=UUID"] for each GPU into daemon.json, set "default-runtime" to nvidia, and swarm-resource = "DOCKER_RESOURCE_NVIDIA-GPU" in the configuration of the NVIDIA container runtime'
