/**
 * The package that brings a class of nodes, as graphs name it: `cnr_id` of the public registry, or `aux_id` of a
 * repository, with `ver`; in the properties of nodes, and beside the titles of payloads. Source: editor research, 1 and 2.
 */
import type { WorkflowDocument } from '../document/document.ts'
import { asText, isObject, type JsonObject, type JsonValue } from '../json/value.ts'
import { readPayloadNode } from '../payload.ts'

/** A package. `address`: where it can be had; missing: it comes with ComfyUI. */
export type NodePackage = {
  readonly name: string
  readonly address?: string | undefined
  readonly version?: string | undefined
}

/** Packages by the class of nodes that they bring, the likeliest first. */
export type PackagesByClass = ReadonlyMap<string, readonly NodePackage[]>

// What a stranger wrote becomes a part of an address: nothing that leads elsewhere.
const REGISTRY_ID = /^[a-z0-9][a-z0-9._-]{0,99}$/i
const REPOSITORY = /^[a-z0-9][a-z0-9-]{0,38}\/[a-z0-9_-][a-z0-9._-]{0,99}$/i
const VERSION = /^[0-9a-z][0-9a-z.+-]{0,39}$/i
const COMMIT = /^[0-9a-f]{40}$/
const OF_COMFYUI = 'comfy-core'

/** Reads the properties of a node, or what stands beside its title; undefined where they name no package. */
export function readNodePackage(raw: JsonObject): NodePackage | undefined {
  const [id, repository, given] = ['cnr_id', 'aux_id', 'ver'].map((key) => asText(raw.get(key)))
  const version = given !== undefined && VERSION.test(given) ? { version: shortVersion(given) } : {}
  if (id === OF_COMFYUI) return { name: 'ComfyUI', ...version }
  if (id !== undefined && REGISTRY_ID.test(id))
    return { name: id, address: `https://registry.comfy.org/nodes/${id}`, ...version }
  if (repository !== undefined && REPOSITORY.test(repository))
    return { name: repository, address: `https://github.com/${repository}`, ...version }
  return undefined
}

const shortVersion = (version: string): string => (COMMIT.test(version) ? version.slice(0, 8) : version)

/** The packages that the nodes of a document name, those within subgraphs too; the first of each class. */
export function packagesOfDocument(document: WorkflowDocument): PackagesByClass {
  const found = new Map<string, readonly NodePackage[]>()
  for (const graph of [document, ...(document.definitions?.subgraphs.items ?? [])])
    for (const { type, properties } of graph.nodes.items) take(found, type, properties)
  return found
}

/** The same of a payload. */
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

/** Where a class is to be had, as a sentence. */
export function packagesInWords([first, ...others]: readonly NodePackage[]): string {
  if (first === undefined) return ''
  if (first.address === undefined)
    return `It comes with ComfyUI${first.version === undefined ? '' : ` ${first.version}`}: a server of that version or a newer one has it.`
  const more = others.length === 0 ? '' : `, or in ${others.slice(0, NAMED).map(inWords).join(', ')}`
  return `It is in the package ${inWords(first)}${more}.`
}

const inWords = ({ name, version, address }: NodePackage): string =>
  `${name}${version === undefined ? '' : ` ${version}`}${address === undefined ? '' : ` (${address})`}`
