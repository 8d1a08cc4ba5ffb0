/** All GPUs of a worker, exclusive or shared, satisfy the same wish, the first one possible. */
import { type ContainerSettings, GPU_GROUPS } from '../../contract/container.ts'
import { GIB } from '../../lib/units.ts'
import { cardsText, type Gpu, type GpuInventory } from './gpu-list.ts'

export type GpuNeed = Pick<ContainerSettings, 'gpu' | 'gpuCount' | 'gpuShared'>

export type GpuHold = {
  readonly gpuId: string
  readonly workerId: string
  readonly endpointId: string
  readonly shared: boolean
}

/** GPUs, or the reason for none; `never`: this machine has no matching GPU at all. */
export type GpuAllocation = { readonly ids: readonly string[] } | { readonly reason: string; readonly never?: true }

/** Bound of workers on shared GPUs; source: ours, memory is the real limit. */
const SHARED_SLOTS = 100

/** Prefers the group's models, then the smallest sufficient memory, equal names, and the least used. Source: ours. */
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

/** @returns free up to the number of GPUs, or a bound for sharing workers */
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
    // No endpoint: the reason must not name workers that do not exist yet.
    holds.push(...allocation.ids.map((gpuId) => ({ gpuId, workerId: `next ${free}`, endpointId: '', shared: false })))
  }
}

type Offer = { readonly want: GpuWant; readonly fitting: readonly Gpu[]; readonly free: readonly Gpu[] }

type Machine = { readonly inventory: GpuInventory; readonly held: readonly GpuHold[] }

function offerFor(want: GpuWant, { excluded }: GpuWishes, need: GpuNeed, { inventory, held }: Machine): Offer {
  const fitting = inventory.cards.filter(
    (card) => !card.mig && meetsWant(want, card) && !excluded.some((name) => isNamed(card, name)),
  )
  const free = fitting.filter(({ id }) => held.every((hold) => hold.gpuId !== id || (need.gpuShared && hold.shared)))
  return { want, fitting, free }
}

function choose(want: GpuWant, free: readonly Gpu[], count: number, held: readonly GpuHold[]): readonly string[] {
  const holders = ({ id }: Gpu) => held.filter(({ gpuId }) => gpuId === id).length
  const best = free.toSorted(
    (a, b) =>
      Number(isOfGroup(want, b)) - Number(isOfGroup(want, a)) ||
      // Unknown memory comes last, because the waste is unknown.
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

/** The closest wish gives the reason: enough but in use, then too few, then none. */
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

function inUse({ fitting, free }: Offer, held: readonly GpuHold[]): string {
  const taken = fitting.filter((card) => !free.includes(card)).map(({ id }) => id)
  const holders = held.filter(({ gpuId, endpointId }) => taken.includes(gpuId) && endpointId !== '')
  const endpoints = [...new Set(holders.map(({ endpointId }) => endpointId))]
  const by = endpoints.length === 0 ? '' : ` by endpoint${endpoints.length === 1 ? '' : 's'} ${endpoints.join(', ')}`
  return `${taken.length} of ${fitting.length} in use${by}`
}

export type GpuWant =
  | { readonly kind: 'any' }
  | { readonly kind: 'group'; readonly group: keyof typeof GPU_GROUPS }
  | { readonly kind: 'name'; readonly name: string }

type GpuWishes = { readonly wants: readonly GpuWant[]; readonly excluded: readonly string[] }

/**
 * Visible share of nominal memory: error correction takes a sixteenth (an L4 of 24 GB shows 22.5, an A40 of 48 GB 45).
 * Source: nvidia-smi.
 */
const SHOWN_SHARE = 0.93

/**
 * Parses `gpu`: ANY, a group, part of a name, or a comma list, where -NAME excludes. Source: ours; the platform for the
 * list (its gpuIds).
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

/** Groups match by memory, not model: an app that names ADA_24 needs 24 GB and runs on a 3090. See isOfGroup. */
export function meetsWant(want: GpuWant, card: Gpu): boolean {
  if (want.kind === 'any') return true
  if (want.kind === 'name') return isNamed(card, want.name)
  // No rounding: GPUs of unknown (unified) memory can be requested by name.
  return (card.memoryBytes ?? 0) >= GPU_GROUPS[want.group].memoryGb * GIB * SHOWN_SHARE
}

function isOfGroup(want: GpuWant, card: Gpu): boolean {
  return want.kind === 'group' && GPU_GROUPS[want.group].models.some((model) => isNamed(card, model))
}

/**
 * Matches whole words: '4090', 'rtx_4090' and 'NVIDIA GeForce RTX 4090' are the same, but L4 is not L40S. Maker and
 * family are optional, as older drivers omit them.
 */
export function isNamed(card: Pick<Gpu, 'name'>, name: string): boolean {
  return hasRun(nameParts(card.name), nameParts(name)) || hasRun(model(nameParts(card.name)), model(nameParts(name)))
}

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

function wantedSizeText(want: GpuWant): string {
  if (want.kind === 'any') return ''
  return want.kind === 'name' ? ` named ${want.name}` : ` of ${GPU_GROUPS[want.group].memoryGb} GB`
}

function wantedKindText(want: GpuWant): string {
  return want.kind === 'group' ? ` like ${want.group}` : wantedSizeText(want)
}

function noSuchCard({ wants, excluded }: GpuWishes, cards: readonly Gpu[]): string {
  const without = excluded.length === 0 ? '' : ` and not ${excluded.join(' or ')}`
  const kinds = wants.map((want) => `${wantedKindText(want).trim()}${want.kind === 'group' ? inGb(want) : ''}`)
  const kind = kinds.filter((words) => words !== '').join(' or ') || 'usable'
  // Explains why a visible card in MIG mode does not count.
  const cut = cards.some(({ mig }) => mig) ? '; GPUs in MIG mode and their slices are not used' : ''
  return `no GPU is ${kind}${without}: found ${cardsText(cards)}${cut}`
}

const inGb = (want: GpuWant & { kind: 'group' }) => ` (${GPU_GROUPS[want.group].memoryGb} GB)`
