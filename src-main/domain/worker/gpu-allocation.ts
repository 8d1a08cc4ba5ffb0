/**
 * Which cards a worker gets. A card is held by one worker alone, or by any number of workers that share. All cards of a
 * worker meet the same wish of its endpoint's list, the first one that can be met now.
 */
import { type ContainerSettings, GPU_GROUPS } from '../../contract/container.ts'
import { GIB } from '../../contract/units.ts'
import { cardsText, type GpuCard, type GpuInventory } from './gpu-list.ts'

/** What a worker needs; without `gpu` nothing. */
export type GpuNeed = Pick<ContainerSettings, 'gpu' | 'gpuCount' | 'gpuShared'>

/** A worker has a card. */
export type GpuHold = {
  readonly gpuId: string
  readonly workerId: string
  readonly endpointId: string
  readonly shared: boolean
}

/** The cards for a worker, or why there are none; `never`: this machine has none such, used or free. */
export type GpuAllocation = { readonly ids: readonly string[] } | { readonly reason: string; readonly never?: true }

/** How many more workers are let onto cards that are shared, whatever has them; source: ours, memory ends it before. */
const SHARED_SLOTS = 100

/**
 * Chooses the cards for one more worker: those of the group's own models first, the smallest memory that is enough,
 * cards of the same name together, the least used first. Source: ours.
 * @param need - what the endpoint asks for
 * @param inventory - the cards of the machine
 * @param held - who has which card
 */
export function allocateGpus(need: GpuNeed, inventory: GpuInventory, held: readonly GpuHold[]): GpuAllocation {
  if (need.gpu === undefined) return { ids: [] }
  if (inventory.cards.length === 0)
    return inventory.fault === undefined
      ? { reason: 'there is no NVIDIA GPU', never: true }
      : { reason: inventory.fault }
  const wishes = readGpuWishes(need.gpu)
  const offers = wishes.wants.map((want) => offerFor(want, wishes, need, { inventory, held }))
  for (const { want, free } of offers) {
    if (free.length >= need.gpuCount) return { ids: choose(want, free, need.gpuCount, held) }
  }
  const reason = whyNot(need, wishes, offers, { inventory, held })
  const mayCome = inventory.fault !== undefined || offers.some(({ fitting }) => fitting.length >= need.gpuCount)
  return mayCome ? { reason } : { reason, never: true }
}

/**
 * How many more workers find cards, and why not more.
 * @returns free 0 to the number of cards; for workers that share a bound, as the cards do not end then
 */
export function gpuSlots(
  need: GpuNeed,
  inventory: GpuInventory,
  held: readonly GpuHold[],
): { readonly free: number; readonly reason: string | undefined; readonly never?: true } {
  if (need.gpu === undefined) return { free: Number.POSITIVE_INFINITY, reason: undefined }
  const holds = [...held]
  for (let free = 0; ; free++) {
    const allocation = allocateGpus(need, inventory, holds)
    if ('reason' in allocation) return { free, ...allocation }
    if (need.gpuShared) return { free: SHARED_SLOTS, reason: undefined }
    // No endpoint: these workers are not there yet, so the reason must not name them.
    holds.push(...allocation.ids.map((gpuId) => ({ gpuId, workerId: `next ${free}`, endpointId: '', shared: false })))
  }
}

/** The cards that meet a wish, and those of them that can be had now. */
type Offer = { readonly want: GpuWant; readonly fitting: readonly GpuCard[]; readonly free: readonly GpuCard[] }

type Machine = { readonly inventory: GpuInventory; readonly held: readonly GpuHold[] }

function offerFor(want: GpuWant, { excluded }: GpuWishes, need: GpuNeed, { inventory, held }: Machine): Offer {
  const fitting = inventory.cards.filter(
    (card) => !card.mig && meetsWant(want, card) && !excluded.some((name) => isNamed(card, name)),
  )
  const free = fitting.filter(({ id }) => held.every((hold) => hold.gpuId !== id || (need.gpuShared && hold.shared)))
  return { want, fitting, free }
}

/** @param free - at least `count` cards */
function choose(want: GpuWant, free: readonly GpuCard[], count: number, held: readonly GpuHold[]): readonly string[] {
  const holders = ({ id }: GpuCard) => held.filter(({ gpuId }) => gpuId === id).length
  const best = free.toSorted(
    (a, b) =>
      Number(isOfGroup(want, b)) - Number(isOfGroup(want, a)) ||
      // A card that does not tell its memory comes last: nobody knows how much of it would be wasted.
      compare(a.memoryBytes ?? Number.POSITIVE_INFINITY, b.memoryBytes ?? Number.POSITIVE_INFINITY) ||
      compare(a.name, b.name) ||
      compare(holders(a), holders(b)) ||
      compare(a.usedBytes ?? 0, b.usedBytes ?? 0) ||
      compare(a.usePercent ?? 0, b.usePercent ?? 0) ||
      compare(a.index, b.index),
  )
  const alike = best.map(({ name }) => best.filter((card) => card.name === name)).find(({ length }) => length >= count)
  return (alike ?? best).slice(0, count).map(({ id }) => id)
}

function compare<T extends number | string>(a: T, b: T): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** The wish that came nearest tells the reason: enough cards but in use, then too few, then none. */
function whyNot(need: GpuNeed, wishes: GpuWishes, offers: readonly Offer[], machine: Machine): string {
  const { gpuCount } = need
  const gpus = gpuCount === 1 ? '1 GPU' : `${gpuCount} GPUs`
  const busy = offers.find(({ fitting }) => fitting.length >= gpuCount)
  if (busy !== undefined) {
    return `needs ${gpus}${wantedSizeText(busy.want)}, ${busy.free.length} free (${inUse(busy, machine.held)})`
  }
  const few = offers.find(({ fitting }) => fitting.length > 0)
  const lost = machine.inventory.fault === undefined ? '' : ` (${machine.inventory.fault})`
  if (few === undefined) return `${noSuchCard(wishes, machine.inventory.cards)}${lost}`
  return `needs ${gpus}${wantedKindText(few.want)}, found ${few.fitting.length}${lost}`
}

/** '1 of 2 in use by endpoint hello'. */
function inUse({ fitting, free }: Offer, held: readonly GpuHold[]): string {
  const taken = fitting.filter((card) => !free.includes(card)).map(({ id }) => id)
  const holders = held.filter(({ gpuId, endpointId }) => taken.includes(gpuId) && endpointId !== '')
  const endpoints = [...new Set(holders.map(({ endpointId }) => endpointId))]
  const by = endpoints.length === 0 ? '' : ` by endpoint${endpoints.length === 1 ? '' : 's'} ${endpoints.join(', ')}`
  return `${taken.length} of ${fitting.length} in use${by}`
}

// What an endpoint asks for, and whether a card is that.

/** One thing that may be asked for: any card, one like those of a group, or one of a name. */
export type GpuWant =
  | { readonly kind: 'any' }
  | { readonly kind: 'group'; readonly group: keyof typeof GPU_GROUPS }
  | { readonly kind: 'name'; readonly name: string }

/** What `gpu` of an endpoint says: what is asked for, best first, and the names of cards that are not wanted. */
type GpuWishes = { readonly wants: readonly GpuWant[]; readonly excluded: readonly string[] }

/**
 * Share of its nominal memory that a card must show to count as one of that size. Error correction takes a sixteenth of
 * it (an L4 of 24 GB shows 22.5, an A40 of 48 GB shows 45), the driver some more. Source: nvidia-smi of such cards.
 */
const SHOWN_SHARE = 0.93

/**
 * Reads `gpu` of the settings: ANY, a group, a part of a card's name, or a list of them with commas, where -NAME leaves
 * a card out. Source: ours; the platform for the list (its gpuIds).
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
 * Whether a card is one that is asked for. For a group its memory decides, not its model: an app that names ADA_24
 * wants 24 GB, and runs on the 3090 or the larger card that a developer has. Its own models only come first (see
 * isOfGroup).
 */
export function meetsWant(want: GpuWant, card: GpuCard): boolean {
  if (want.kind === 'any') return true
  if (want.kind === 'name') return isNamed(card, want.name)
  // No rounding: a card that does not tell its memory (unified memory) can be asked for by name.
  return (card.memoryBytes ?? 0) >= GPU_GROUPS[want.group].memoryGb * GIB * SHOWN_SHARE
}

/** Whether the card is one of the models of the group, which come before others that are as large. */
function isOfGroup(want: GpuWant, card: GpuCard): boolean {
  return want.kind === 'group' && GPU_GROUPS[want.group].models.some((model) => isNamed(card, model))
}

/**
 * Whether a part of the card's name is this one, by whole words: '4090', 'rtx_4090' and 'NVIDIA GeForce RTX 4090' are
 * all the RTX 4090, but L4 is not an L40S and A40 not an A4000. Maker and family need not be there: older drivers leave
 * them out.
 */
export function isNamed(card: Pick<GpuCard, 'name'>, name: string): boolean {
  return hasRun(nameParts(card.name), nameParts(name)) || hasRun(model(nameParts(card.name)), model(nameParts(name)))
}

/** Whether some words of `own`, one after the other, are `wanted`, however that is cut into words. */
function hasRun(own: readonly string[], wanted: readonly string[]): boolean {
  const text = wanted.join('')
  return text !== '' && own.some((_, from) => own.some((_word, to) => own.slice(from, to + 1).join('') === text))
}

function nameParts(name: string): readonly string[] {
  return name
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '')
}

const model = (name: readonly string[]) => name.filter((word) => word !== 'NVIDIA' && word !== 'GEFORCE')

/** What is asked for, after 'needs 1 GPU': ' of 24 GB', ' named H100', nothing for any. */
function wantedSizeText(want: GpuWant): string {
  if (want.kind === 'any') return ''
  return want.kind === 'name' ? ` named ${want.name}` : ` of ${GPU_GROUPS[want.group].memoryGb} GB`
}

/** What is asked for, as a kind of card: ' like ADA_24', ' named H100', nothing for any. */
function wantedKindText(want: GpuWant): string {
  return want.kind === 'group' ? ` like ${want.group}` : wantedSizeText(want)
}

/** Why no card of the machine is one that is asked for. @param cards all cards of the machine, one at least */
function noSuchCard({ wants, excluded }: GpuWishes, cards: readonly GpuCard[]): string {
  const without = excluded.length === 0 ? '' : ` and not ${excluded.join(' or ')}`
  const kinds = wants.map((want) => `${wantedKindText(want).trim()}${want.kind === 'group' ? inGb(want) : ''}`)
  const kind = kinds.filter((words) => words !== '').join(' or ') || 'usable'
  // A card that is cut into slices is there, and still cannot be had: without this the sentence would look wrong.
  const cut = cards.some(({ mig }) => mig) ? '; GPUs in MIG mode and their slices are not used' : ''
  return `no GPU is ${kind}${without}: found ${cardsText(cards)}${cut}`
}

const inGb = (want: GpuWant & { kind: 'group' }) => ` (${GPU_GROUPS[want.group].memoryGb} GB)`
