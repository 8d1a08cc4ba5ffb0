/** Workflow payloads, which workers take as `input.workflow`. Source: docs/spec/image-workflows.md, 1. */
import { asText } from '../../../lib/json/plain.ts'
import { asIndex, isArray, isObject, type JsonObject, type JsonValue, withKey } from '../../../lib/json/value.ts'

export type PayloadNode = {
  readonly id: string
  readonly classType: string
  readonly inputs: JsonObject
  readonly title: string | undefined
  readonly raw: JsonObject
}

export type PayloadLink = { readonly node: string; readonly slot: number }

export function readPayloadNode(id: string, raw: JsonValue | undefined): PayloadNode | undefined {
  if (!isObject(raw)) return undefined
  const [classType, inputs, meta] = [asText(raw.get('class_type')), raw.get('inputs'), raw.get('_meta')]
  if (classType === undefined || !isObject(inputs)) return undefined
  return { id, classType, inputs, title: isObject(meta) ? asText(meta.get('title')) : undefined, raw }
}

export function readPayloadNodes(payload: JsonObject): readonly PayloadNode[] {
  return [...payload].flatMap(([id, raw]) => readPayloadNode(id, raw) ?? [])
}

/**
 * Drops the server's cache notes: it trusts old ones and would not rerun nodes with changed pictures. Source:
 * docs/spec/comfyui.md, 4.
 */
export function withoutCacheNotes(payload: JsonObject): JsonObject {
  const noted = [...payload].some(([, node]) => isObject(node) && node.has(CACHE_NOTE))
  if (!noted) return payload
  return new Map([...payload].map(([id, node]) => [id, isObject(node) ? withKey(node, CACHE_NOTE, undefined) : node]))
}

const CACHE_NOTE = 'is_changed'

export function readLink(value: JsonValue | undefined): PayloadLink | undefined {
  if (!isArray(value) || value.length !== 2) return undefined
  const [node, index] = value
  const slot = typeof index === 'string' ? undefined : asIndex(index)
  return typeof node === 'string' && slot !== undefined ? { node, slot } : undefined
}

export function linksInto({ inputs }: PayloadNode): readonly (PayloadLink & { readonly input: string })[] {
  const links: (PayloadLink & { readonly input: string })[] = []
  for (const [input, value] of inputs) {
    const link = isArray(value) ? readLink(value) : undefined
    if (link !== undefined) links.push({ node: link.node, slot: link.slot, input })
  }
  return links
}
