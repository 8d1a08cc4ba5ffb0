/** Whether a swarm has room for a worker, from what its nodes have and what its scheduler said last. Pure. */
import type { ContainerSettings } from '../../../contract/container.ts'
import { counted } from '../../../domain/text.ts'
import type { Room } from '../../../domain/worker/place.ts'
import { READY, type SwarmNode } from './swarm-nodes.ts'

/** The label of a node that names its cards, as endpoints ask for them. */
export const CARD_LABEL = 'drydock.gpu'
/** What any card is called. Source: src-main/contract/container.ts. */
const ANY_CARD = 'ANY'

type Nodes = readonly Pick<SwarmNode, 'name' | 'state' | 'cards' | 'labels'>[]
type Wish = Pick<ContainerSettings, 'gpu' | 'gpuCount' | 'gpuShared'>

/** What the scheduler is asked for, for the cards of a worker. */
export type CardWish = {
  readonly cards: { readonly kind: string; readonly count: number }
  readonly constraints: readonly string[]
}

/** Whether a node takes workers at all; why none does. */
export function roomOnNodes(nodes: Nodes): Room {
  if (nodes.some(({ state }) => state === READY)) return { free: Number.POSITIVE_INFINITY, reason: undefined }
  const states = nodes.map(({ name, state }) => `${name} is ${state}`).join(', ')
  return { free: 0, reason: nodes.length === 0 ? 'its nodes are being read' : `no node takes workers: ${states}` }
}

/** Why no node takes a worker with these settings now; undefined: one may, or nothing is known of them yet. */
export function noRoom(wish: Wish | undefined, nodes: Nodes): Room | undefined {
  if (nodes.length === 0) return undefined
  const room = roomOnNodes(nodes)
  if (room.free === 0) return room
  const cards = wish === undefined ? undefined : cardWish(wish, nodes)
  return cards !== undefined && 'reason' in cards ? { free: 0, reason: cards.reason, never: true } : undefined
}

/** What decides which nodes may take a worker, for what the scheduler said of it. */
export function wishKey({ container }: { readonly container?: ContainerSettings | undefined }): string {
  const { gpu, gpuCount, memoryBytes, placement } = container ?? {}
  return JSON.stringify([gpu, gpuCount, memoryBytes, placement])
}

/** What to ask the scheduler for, or why no node of this swarm could ever have it; undefined: no card is wanted. */
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
    return { reason: `a worker wants ${counted(gpuCount, 'card')}, and no node offers more than ${most}` }
  return {
    cards: { kind, count: gpuCount },
    constraints: isNamed ? [`node.labels.${CARD_LABEL}==${gpu}`] : [],
  }
}

type Placed = Pick<SwarmNode, 'id' | 'name' | 'role' | 'labels'>

/**
 * Whether constraints leave a node to a worker, as far as this is known here: true where one asks for what only the
 * scheduler knows.
 * @param constraints as Docker writes them
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

/** What to do so that a node hands out its cards. Source: Docker's documentation of generic resources. */
export const HOW_TO_CONFIGURE =
  'On each node with cards put "node-generic-resources": ["NVIDIA-GPU=UUID"] for each card into daemon.json, set "default-runtime" to nvidia, and swarm-resource = "DOCKER_RESOURCE_NVIDIA-GPU" in the configuration of the NVIDIA container runtime'
