/**
 * Which cards a worker gets. A card is held by one worker alone, or by any number of workers that share. All cards of a
 * worker meet the same wish of its endpoint's list, the first one that can be met now.
 */
import type { ContainerSettings } from '../../contract/container.ts'
import type { GpuCard, GpuInventory } from './gpu-list.ts'
import {
  type GpuWant,
  type GpuWishes,
  isNamed,
  isOfGroup,
  kindInWords,
  meetsWant,
  noSuchCard,
  readGpuWishes,
  sizeInWords,
} from './gpu-need.ts'

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
export type GpuAnswer = { readonly ids: readonly string[] } | { readonly reason: string; readonly never?: true }

/** How many more workers are let onto cards that are shared, whatever has them; source: ours, memory ends it before. */
const SHARED_PLACES = 100

/**
 * Chooses the cards for one more worker: those of the group's own models first, the smallest memory that is enough, cards
 * of the same name together, the least used first. Source: issue, GPU; ours for the order.
 * @param need - what the endpoint asks for
 * @param inventory - the cards of the machine
 * @param held - who has which card
 */
export function allocateGpus(need: GpuNeed, inventory: GpuInventory, held: readonly GpuHold[]): GpuAnswer {
  if (need.gpu === undefined) return { ids: [] }
  if (inventory.cards.length === 0)
    return inventory.fault === undefined
      ? { reason: 'this machine has no NVIDIA GPU', never: true }
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
export function gpuPlaces(
  need: GpuNeed,
  inventory: GpuInventory,
  held: readonly GpuHold[],
): { readonly free: number; readonly reason: string | undefined; readonly never?: true } {
  if (need.gpu === undefined) return { free: Number.POSITIVE_INFINITY, reason: undefined }
  const holds = [...held]
  for (let free = 0; ; free++) {
    const answer = allocateGpus(need, inventory, holds)
    if ('reason' in answer) return { free, ...answer }
    if (need.gpuShared) return { free: SHARED_PLACES, reason: undefined }
    // No endpoint: these workers are not there yet, so the reason must not name them.
    holds.push(...answer.ids.map((gpuId) => ({ gpuId, workerId: `next ${free}`, endpointId: '', shared: false })))
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
    return `needs ${gpus}${sizeInWords(busy.want)}, ${busy.free.length} free (${inUse(busy, machine.held)})`
  }
  const few = offers.find(({ fitting }) => fitting.length > 0)
  const lost = machine.inventory.fault === undefined ? '' : ` (${machine.inventory.fault})`
  if (few === undefined) return `${noSuchCard(wishes, machine.inventory.cards)}${lost}`
  return `needs ${gpus}${kindInWords(few.want)}, this machine has ${few.fitting.length}${lost}`
}

/** '1 of 2 in use by endpoint hello'. */
function inUse({ fitting, free }: Offer, held: readonly GpuHold[]): string {
  const taken = fitting.filter((card) => !free.includes(card)).map(({ id }) => id)
  const holders = held.filter(({ gpuId, endpointId }) => taken.includes(gpuId) && endpointId !== '')
  const endpoints = [...new Set(holders.map(({ endpointId }) => endpointId))]
  const by = endpoints.length === 0 ? '' : ` by endpoint${endpoints.length === 1 ? '' : 's'} ${endpoints.join(', ')}`
  return `${taken.length} of ${fitting.length} in use${by}`
}
