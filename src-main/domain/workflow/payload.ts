/** Workflow payloads: what a worker takes as `input.workflow`. Source: docs/spec/image-workflows.md, 1. */
import { asIndex, asText, isArray, isObject, type JsonObject, type JsonValue, withKey } from './json/value.ts'

/** A node of a payload. */
export type PayloadNode = {
  readonly id: string
  readonly classType: string
  readonly inputs: JsonObject
  readonly title: string | undefined
  readonly raw: JsonObject
}

/** A link as an input holds it: the id of a node, and the index of one of its outputs. */
export type PayloadLink = { readonly node: string; readonly slot: number }

/** Reads a node; undefined where the value is none. */
export function readPayloadNode(id: string, raw: JsonValue | undefined): PayloadNode | undefined {
  if (!isObject(raw)) return undefined
  const [classType, inputs, meta] = [asText(raw.get('class_type')), raw.get('inputs'), raw.get('_meta')]
  if (classType === undefined || !isObject(inputs)) return undefined
  return { id, classType, inputs, title: isObject(meta) ? asText(meta.get('title')) : undefined, raw }
}

/** Reads the nodes of a payload, in its order; entries that are none are left out. */
export function readPayloadNodes(payload: JsonObject): readonly PayloadNode[] {
  return [...payload].flatMap(([id, raw]) => readPayloadNode(id, raw) ?? [])
}

/**
 * A payload without what a server noted at its nodes for its own cache: it trusts the notes of files that it wrote long
 * ago, and would not run nodes anew whose pictures have changed. Source: docs/spec/comfyui.md, 4.
 */
export function withoutCacheNotes(payload: JsonObject): JsonObject {
  const noted = [...payload].some(([, node]) => isObject(node) && node.has(CACHE_NOTE))
  if (!noted) return payload
  return new Map([...payload].map(([id, node]) => [id, isObject(node) ? withKey(node, CACHE_NOTE, undefined) : node]))
}

const CACHE_NOTE = 'is_changed'

/** The link that an input holds; undefined where it holds a value. */
export function readLink(value: JsonValue | undefined): PayloadLink | undefined {
  if (!isArray(value) || value.length !== 2) return undefined
  const [node, index] = value
  const slot = typeof index === 'string' ? undefined : asIndex(index)
  return typeof node === 'string' && slot !== undefined ? { node, slot } : undefined
}

/** The links into a node, with the names of its inputs. */
export function linksInto({ inputs }: PayloadNode): readonly (PayloadLink & { readonly input: string })[] {
  const links: (PayloadLink & { readonly input: string })[] = []
  for (const [input, value] of inputs) {
    const link = isArray(value) ? readLink(value) : undefined
    if (link !== undefined) links.push({ node: link.node, slot: link.slot, input })
  }
  return links
}
