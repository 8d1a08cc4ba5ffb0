/** Which cards an endpoint asks for, and which card is one of them. */
import { GPU_GROUPS } from '../../contract/container.ts'
import { cardsInWords, type GpuCard } from './gpu-list.ts'

/** One thing that may be asked for: any card, one like those of a group, or one of a name. */
export type GpuWant =
  | { readonly kind: 'any' }
  | { readonly kind: 'group'; readonly group: keyof typeof GPU_GROUPS }
  | { readonly kind: 'name'; readonly name: string }

/** What `gpu` of an endpoint says: what is asked for, best first, and the names of cards that are not wanted. */
export type GpuWishes = { readonly wants: readonly GpuWant[]; readonly excluded: readonly string[] }

const GIB = 1024 ** 3

/**
 * Share of its nominal memory that a card must show to count as one of that size. Error correction takes a sixteenth of
 * it (an L4 of 24 GB shows 22.5, an A40 of 48 GB shows 45), the driver some more. Source: nvidia-smi of such cards.
 */
const SHOWN_SHARE = 0.93

/**
 * Reads `gpu` of the settings: ANY, a group, a part of a card's name, or a list of them with commas, where -NAME leaves
 * a card out. Source: issue, GPU; the platform for the list (its gpuIds).
 */
export function readGpuWishes(gpu: string): GpuWishes {
  const items = gpu
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
  const wants = items.filter((item) => !item.startsWith('-')).map(readWant)
  const excluded = items.filter((item) => item.startsWith('-')).map((item) => item.slice(1))
  return { wants: wants.length === 0 ? [{ kind: 'any' }] : wants, excluded }
}

function readWant(item: string): GpuWant {
  if (item.toUpperCase() === 'ANY') return { kind: 'any' }
  const group = item.toUpperCase()
  return isGroup(group) ? { kind: 'group', group } : { kind: 'name', name: item }
}

function isGroup(name: string): name is keyof typeof GPU_GROUPS {
  return Object.hasOwn(GPU_GROUPS, name)
}

/**
 * Whether a card is one that is asked for. For a group its memory decides, not its model: an app that names ADA_24 wants
 * 24 GB, and runs on the 3090 or the larger card that a developer has. Its own models only come first (see isOfGroup).
 */
export function meetsWant(want: GpuWant, card: GpuCard): boolean {
  if (want.kind === 'any') return true
  if (want.kind === 'name') return isNamed(card, want.name)
  // No rounding: a card that does not tell its memory (unified memory) can be asked for by name.
  return (card.memoryBytes ?? 0) >= GPU_GROUPS[want.group].memoryGb * GIB * SHOWN_SHARE
}

/** Whether the card is one of the models of the group, which come before others that are as large. */
export function isOfGroup(want: GpuWant, card: GpuCard): boolean {
  return want.kind === 'group' && GPU_GROUPS[want.group].models.some((model) => isNamed(card, model))
}

/**
 * Whether a part of the card's name is this one, by whole words: '4090', 'rtx_4090' and 'NVIDIA GeForce RTX 4090' are all
 * the RTX 4090, but L4 is not an L40S and A40 not an A4000. Maker and family need not be there: older drivers leave them out.
 */
export function isNamed(card: Pick<GpuCard, 'name'>, name: string): boolean {
  return hasRun(words(card.name), words(name)) || hasRun(model(words(card.name)), model(words(name)))
}

/** Whether some words of `own`, one after the other, are `wanted`, however that is cut into words. */
function hasRun(own: readonly string[], wanted: readonly string[]): boolean {
  const text = wanted.join('')
  return text !== '' && own.some((_, from) => own.some((_word, to) => own.slice(from, to + 1).join('') === text))
}

function words(name: string): readonly string[] {
  return name
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '')
}

const model = (name: readonly string[]) => name.filter((word) => word !== 'NVIDIA' && word !== 'GEFORCE')

/** What is asked for, after 'needs 1 GPU': ' of 24 GB', ' named H100', nothing for any. */
export function sizeInWords(want: GpuWant): string {
  if (want.kind === 'any') return ''
  return want.kind === 'name' ? ` named ${want.name}` : ` of ${GPU_GROUPS[want.group].memoryGb} GB`
}

/** What is asked for, as a kind of card: ' like ADA_24', ' named H100', nothing for any. */
export function kindInWords(want: GpuWant): string {
  return want.kind === 'group' ? ` like ${want.group}` : sizeInWords(want)
}

/** Why no card of the machine is one that is asked for. @param cards all cards of the machine, one at least */
export function noSuchCard({ wants, excluded }: GpuWishes, cards: readonly GpuCard[]): string {
  const without = excluded.length === 0 ? '' : ` and not ${excluded.join(' or ')}`
  const kinds = wants.map((want) => `${kindInWords(want).trim()}${want.kind === 'group' ? inGb(want) : ''}`)
  const kind = kinds.filter((words) => words !== '').join(' or ') || 'usable'
  // A card that is cut into slices is there, and still cannot be had: without this the sentence would look wrong.
  const cut = cards.some(({ mig }) => mig) ? '; a card in MIG mode is not handed out, nor are its slices' : ''
  return `no card of this machine is ${kind}${without}: it has ${cardsInWords(cards)}${cut}`
}

const inGb = (want: GpuWant & { kind: 'group' }) => ` (${GPU_GROUPS[want.group].memoryGb} GB)`
