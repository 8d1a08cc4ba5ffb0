/**
 * An index of the packages of the public registry of nodes, as a file that the user has put into the data folder. Two forms
 * are read: `extension-node-map.json` of ComfyUI-Manager, `{ADDRESS: [[CLASS, ...], {title_aux}]}`, and the registry's own
 * answer, `{nodes: [{id, name, preempted_comfy_node_names: [CLASS, ...]}]}`.
 */
import type { NodePackage, PackagesByClass } from './node-package.ts'

// Source: ours; a class in more of them is one that many have copied.
const MOST_OF_CLASS = 5
const NAME_LENGTH_MAX = 120
const ADDRESS = /^https:\/\/[a-z0-9.-]+\/[\w./~%#?=&+-]{1,300}$/i

/** Reads an index. @param text JSON; what is no entry is passed over @throws Error that says why it is none, for a person */
export function readPackageIndex(text: string): PackagesByClass {
  const value = parsed(text)
  if (!isRecord(value)) throw new Error('it is no JSON object')
  const found = new Map<string, NodePackage[]>()
  const entries = Array.isArray(value.nodes)
    ? value.nodes.flatMap(ofRegistry)
    : Object.entries(value).flatMap(ofManager)
  for (const { one, classes } of entries) for (const name of classes) add(found, name, one)
  if (found.size === 0) throw new Error('it names no class of nodes')
  return found
}

type Entry = { readonly one: NodePackage; readonly classes: readonly string[] }

function ofManager([address, entry]: readonly [string, unknown]): readonly Entry[] {
  const [classes, facts] = Array.isArray(entry) ? entry : []
  if (!Array.isArray(classes) || !ADDRESS.test(address)) return []
  const title = isRecord(facts) ? textOf(facts.title_aux) : undefined
  const name = title ?? /^https:\/\/[^/]+\/(.*?)(?:\.git)?\/?$/.exec(address)?.[1] ?? address
  return [{ one: { name, address }, classes: classes.filter(isText) }]
}

function ofRegistry(node: unknown): readonly Entry[] {
  if (!isRecord(node) || !Array.isArray(node.preempted_comfy_node_names)) return []
  const id = textOf(node.id)
  if (id === undefined || !/^[\w.-]+$/.test(id)) return []
  const one = { name: textOf(node.name) ?? id, address: `https://registry.comfy.org/nodes/${id}` }
  return [{ one, classes: node.preempted_comfy_node_names.filter(isText) }]
}

function add(found: Map<string, NodePackage[]>, className: string, one: NodePackage): void {
  const others = found.get(className)
  if (others === undefined) found.set(className, [one])
  else if (others.length < MOST_OF_CLASS) others.push(one)
}

/**
 * The packages of an index with those that a graph names: the index has the word, and what the graph names comes first
 * where the index has it too.
 */
export function withNamed(index: PackagesByClass, named: PackagesByClass): PackagesByClass {
  const both = new Map([...named, ...index])
  for (const [className, [own]] of named) {
    const others = index.get(className)
    const at = others?.findIndex(({ address }) => own !== undefined && address === own.address) ?? -1
    if (others !== undefined && own !== undefined && at >= 0) both.set(className, [own, ...others.toSpliced(at, 1)])
  }
  return both
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error('it is no JSON', { cause: error })
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, NAME_LENGTH_MAX) : undefined
