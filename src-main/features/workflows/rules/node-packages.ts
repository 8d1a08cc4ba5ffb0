/**
 * Packages of node classes from graphs, the registry index or a server. Graphs name `cnr_id` or `aux_id` with `ver`.
 * Source: docs/spec/comfyui.md, 1, 2.
 */

import type { NodePackagesResponse } from '../../../contract/workflows.ts'
import { asText, isRecord } from '../../../lib/json/plain.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../lib/json/value.ts'
import type { WorkflowDocument } from './document/document.ts'
import type { NodeType } from './node-types.ts'
import { readPayloadNode } from './payload.ts'

/** A package. `address`: where to get it; missing: it comes with ComfyUI. */
export type NodePackage = {
  readonly name: string
  readonly address?: string | undefined
  readonly version?: string | undefined
}

export type PackagesByClass = ReadonlyMap<string, readonly NodePackage[]>

// Untrusted text becomes part of an address, so nothing may lead elsewhere.
const REGISTRY_ID = /^[a-z0-9][a-z0-9._-]{0,99}$/i
const REPOSITORY = /^[a-z0-9][a-z0-9-]{0,38}\/[a-z0-9_-][a-z0-9._-]{0,99}$/i
const VERSION = /^[0-9a-z][0-9a-z.+-]{0,39}$/i
const COMMIT = /^[0-9a-f]{40}$/
const OF_COMFYUI = 'comfy-core'

export type StatedPackage = {
  readonly id: string | undefined
  readonly repository: string | undefined
  readonly version: string | undefined
}

export function readStatedPackage(raw: JsonObject): StatedPackage | undefined {
  const valid = (key: string, pattern: RegExp) => {
    const text = asText(raw.get(key))
    return text !== undefined && pattern.test(text) ? text : undefined
  }
  const [id, repository] = [valid('cnr_id', REGISTRY_ID), valid('aux_id', REPOSITORY)]
  return (id ?? repository) === undefined ? undefined : { id, repository, version: valid('ver', VERSION) }
}

export const isOfComfyui = ({ id }: StatedPackage): boolean => id === OF_COMFYUI

export function readNodePackage(raw: JsonObject): NodePackage | undefined {
  const stated = readStatedPackage(raw)
  if (stated === undefined) return undefined
  const { id, repository, version: given } = stated
  const version = given === undefined ? {} : { version: shortVersion(given) }
  if (isOfComfyui(stated)) return { name: 'ComfyUI', ...version }
  if (id !== undefined) return { name: id, address: `https://registry.comfy.org/nodes/${id}`, ...version }
  return { name: repository ?? '', address: `https://github.com/${repository}`, ...version }
}

const shortVersion = (version: string): string => (COMMIT.test(version) ? version.slice(0, 8) : version)

export function packagesOfDocument(document: WorkflowDocument): PackagesByClass {
  const found = new Map<string, readonly NodePackage[]>()
  for (const graph of [document, ...(document.definitions?.subgraphs.items ?? [])])
    for (const { type, properties } of graph.nodes.items) take(found, type, properties)
  return found
}

export function packagesOfPayload(payload: JsonObject): PackagesByClass {
  const found = new Map<string, readonly NodePackage[]>()
  for (const [id, raw] of payload) {
    const node = readPayloadNode(id, raw)
    if (node !== undefined) take(found, node.classType, node.raw.get('_meta'))
  }
  return found
}

function take(
  found: Map<string, readonly NodePackage[]>,
  className: string | undefined,
  properties: JsonValue | undefined,
): void {
  if (className === undefined || found.has(className) || !isObject(properties)) return
  const one = readNodePackage(properties)
  if (one !== undefined) found.set(className, [one])
}

const NAMED = 3

export function packagesText([first, ...others]: readonly NodePackage[]): string {
  if (first === undefined) return ''
  if (first.address === undefined)
    return `It comes with ComfyUI${first.version === undefined ? '' : ` ${first.version}`}: servers of that version or newer have it.`
  const more = others.length === 0 ? '' : `, or in ${others.slice(0, NAMED).map(packageText).join(', ')}`
  return `It is in the package ${packageText(first)}${more}.`
}

const packageText = ({ name, version, address }: NodePackage): string =>
  `${name}${version === undefined ? '' : ` ${version}`}${address === undefined ? '' : ` (${address})`}`

// The index is of the public registry of nodes, a file that the user has put into the data folder. Two forms are read:
// `extension-node-map.json` of ComfyUI-Manager, `{ADDRESS: [[CLASS, ...], {title_aux}]}`, and the registry's own
// answer, `{nodes: [{id, name, preempted_comfy_node_names: [CLASS, ...]}]}`.

// Source: ours; a class in more of them has been copied by many.
const MOST_OF_CLASS = 5
const NAME_LENGTH_MAX = 120
const ADDRESS = /^https:\/\/[a-z0-9.-]+\/[\w./~%#?=&+-]{1,300}$/i

export function readPackageIndex(text: string): PackagesByClass {
  const value = parsed(text)
  if (!isRecord(value)) throw new Error('it is not a JSON object')
  const found = new Map<string, NodePackage[]>()
  const entries = Array.isArray(value.nodes)
    ? value.nodes.flatMap(ofRegistry)
    : Object.entries(value).flatMap(ofManager)
  for (const { one, classes } of entries) for (const name of classes) add(found, name, one)
  if (found.size === 0) throw new Error('it names no node classes')
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

/** The index decides, and the graph's package comes first if the index lists it. */
export function withNamed(index: PackagesByClass, named: PackagesByClass): PackagesByClass {
  const both = new Map([...named, ...index])
  for (const [className, [own]] of named) {
    const others = index.get(className)
    const at = others?.findIndex(({ address }) => own !== undefined && address === own.address) ?? -1
    if (others !== undefined && own !== undefined && at >= 0) both.set(className, [own, ...others.toSpliced(at, 1)])
  }
  return both
}

export function packagesByClass({ classes, fault }: NodePackagesResponse): PackagesByClass {
  if (fault !== undefined) throw new Error(fault)
  return new Map(classes.map(({ name, packages }) => [name, packages]))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error('it is not JSON', { cause: error })
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, NAME_LENGTH_MAX) : undefined

export type ClassPackage = {
  readonly name: string
  /** `comfyui`: built in; `partner`: built in, but uses paid services; `custom`: installed; `unknown`: not stated. */
  readonly kind: 'comfyui' | 'partner' | 'custom' | 'unknown'
  readonly classes: readonly string[]
}

const KINDS = ['comfyui', 'partner', 'custom', 'unknown'] as const
const NAMES = { comfyui: 'ComfyUI', partner: 'ComfyUI, partner nodes', unknown: 'not known' }
const CUSTOM = 'custom_nodes.'

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
