/**
 * On which nodes pods with graphics cards run, by the labels that NVIDIA's GPU feature discovery gives to nodes:
 * `nvidia.com/gpu.memory` in MiB, and `nvidia.com/gpu.product`, the card's name with hyphens. A node selector compares
 * for equality alone, which says neither "24 GB or more" nor "one of these"; so it is the affinity. Source:
 * docs/spec/kubernetes-export.md, 2.
 */
import { MIB } from '../../contract/units.ts'
import { type GpuWant, leastMemoryBytes, readGpuWishes } from '../worker/gpu-allocation.ts'

const MEMORY = 'nvidia.com/gpu.memory'
const PRODUCT = 'nvidia.com/gpu.product'

type Expression = { readonly key: string; readonly operator: string; readonly values: readonly string[] }

/** The terms of which a node must meet one; none: any node with cards will do. @param gpu as in the settings */
export function gpuNodeTerms(gpu: string): readonly { readonly matchExpressions: readonly Expression[] }[] {
  const { wants, excluded } = readGpuWishes(gpu)
  const without = excluded.map((name) => ({ key: PRODUCT, operator: 'NotIn', values: productNames(name) }))
  const terms = wants.map((want) => [...expressionsOf(want), ...without])
  // An empty term would meet no node at all.
  return terms.some((expressions) => expressions.length === 0)
    ? []
    : terms.map((matchExpressions) => ({ matchExpressions }))
}

/** What a person has to know of that choice. @param gpu as in the settings */
export function gpuNote(gpu: string): string {
  const { wants, excluded } = readGpuWishes(gpu)
  const names = wants.some(({ kind }) => kind === 'name') || excluded.length > 0
  return [
    'nodes are chosen by the labels of NVIDIA GPU feature discovery',
    ...(names ? [`a card is found by its whole name only, so compare with: kubectl get nodes -L ${PRODUCT}`] : []),
    ...(wants.length > 1 ? ['any of the kinds will do, in no order'] : []),
  ].join('; ')
}

function expressionsOf(want: GpuWant): readonly Expression[] {
  if (want.kind === 'any') return []
  if (want.kind === 'name') return [{ key: PRODUCT, operator: 'In', values: productNames(want.name) }]
  const leastMiB = Math.ceil(leastMemoryBytes(want.group) / MIB)
  return [{ key: MEMORY, operator: 'Gt', values: [String(leastMiB - 1)] }]
}

// Maker and family need not be in the settings, but are in the label: 'RTX 4090' is NVIDIA-GeForce-RTX-4090.
function productNames(name: string): readonly string[] {
  const label = name.replace(/[^A-Za-z0-9.]+/g, '-').replace(/^[-.]+|[-.]+$/g, '')
  const names = /^nvidia-/i.test(label) ? [label] : [label, `NVIDIA-${label}`, `NVIDIA-GeForce-${label}`]
  return names.map((one) => one.slice(0, 63).replace(/[-.]+$/, ''))
}
