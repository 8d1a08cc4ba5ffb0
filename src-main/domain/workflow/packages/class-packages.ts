/** Which package of a ComfyUI server brings each class of nodes. Source: editor research, 5, `python_module`. */
import { asText } from '../json/value.ts'
import type { NodeType } from '../node-types.ts'

/** A package of nodes, with its classes by name. */
export type ClassPackage = {
  /** Of a custom one: its folder in `custom_nodes`. */
  readonly name: string
  /** `comfyui`: come with the server; `partner`: too, and ask paid services; `custom`: installed; `unknown`: nobody says. */
  readonly kind: 'comfyui' | 'partner' | 'custom' | 'unknown'
  readonly classes: readonly string[]
}

const KINDS = ['comfyui', 'partner', 'custom', 'unknown'] as const
const NAMES = { comfyui: 'ComfyUI', partner: 'ComfyUI, partner nodes', unknown: 'not known' }
const CUSTOM = 'custom_nodes.'

/** The packages of classes: those that come with ComfyUI, then those that were installed, by name. */
export function classPackages(types: Iterable<NodeType>): readonly ClassPackage[] {
  const groups = Map.groupBy(types, (type) => JSON.stringify(packageOf(type)))
  return [...groups.values()]
    .flatMap((of) => {
      const [first] = of
      return first === undefined ? [] : [{ ...packageOf(first), classes: of.map(({ name }) => name).toSorted() }]
    })
    .toSorted((one, other) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) || (one.name < other.name ? -1 : 1))
}

function packageOf({ raw }: NodeType): Omit<ClassPackage, 'classes'> {
  const module = asText(raw.get('python_module')) ?? ''
  if (module.startsWith(CUSTOM)) return { kind: 'custom', name: module.slice(CUSTOM.length) }
  const kind = kindOf(module)
  return { kind, name: NAMES[kind] }
}

function kindOf(module: string): keyof typeof NAMES {
  if (module.startsWith('comfy_api_nodes')) return 'partner'
  return module === 'nodes' || module.startsWith('comfy') ? 'comfyui' : 'unknown'
}
