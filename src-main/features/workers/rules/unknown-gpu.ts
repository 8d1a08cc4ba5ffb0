import { GPU_GROUPS } from '../../../contract/container.ts'
import { isNamed, readGpuWishes } from '../../../runtimes/rules/gpu-allocation.ts'
import type { Gpu } from '../../../runtimes/rules/gpu-list.ts'

const MODELS = Object.values(GPU_GROUPS).flatMap(({ models }) => models)
const KNOWN = [...Object.keys(GPU_GROUPS), ...MODELS]

// Share of common letter pairs from which names are alike, and how many are told. Source: ours.
const ALIKE = 0.4
const MOST_TOLD = 3

/**
 * Names in `gpu` that are neither a known type nor a GPU of this machine, with the most similar names, or all groups
 * and GPUs.
 * @returns undefined if all are known
 */
export function unknownGpuText(gpu: string, cards: readonly Pick<Gpu, 'name'>[]): string | undefined {
  const own = cards.map(({ name }) => name)
  const isKnown = (name: string) => [...MODELS, ...own].some((model) => isNamed({ name: model }, name))
  const { wants } = readGpuWishes(gpu)
  const unknown = wants.flatMap((want) => (want.kind === 'name' && !isKnown(want.name) ? [want.name] : []))
  return unknown.length === 0 ? undefined : unknown.map((name) => sentenceOf(name, own)).join(' ')
}

function sentenceOf(name: string, own: readonly string[]): string {
  const near = [...new Set([...KNOWN, ...own])]
    .map((one) => ({ one, alike: likeness(name, one) }))
    .filter(({ alike }) => alike >= ALIKE)
    .toSorted((a, b) => b.alike - a.alike)
    .slice(0, MOST_TOLD)
    .map(({ one }) => one)
  const types = ['ANY', ...Object.keys(GPU_GROUPS), ...new Set(own)].join(', ')
  const hint = near.length === 0 ? `Known types: ${types}.` : `Did you mean ${near.join(' or ')}?`
  return `GPU type ${name} is unknown. ${hint}`
}

/** Sørensen–Dice coefficient of the letter pairs, 0 to 1. */
function likeness(a: string, b: string): number {
  const [one, other] = [pairsOf(a), pairsOf(b)]
  const common = one.filter((pair) => other.includes(pair)).length
  return one.length + other.length === 0 ? 0 : (2 * common) / (one.length + other.length)
}

function pairsOf(name: string): readonly string[] {
  const letters = name.toUpperCase().replace(/NVIDIA|GEFORCE|[^A-Z0-9]/g, '')
  return Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2))
}
