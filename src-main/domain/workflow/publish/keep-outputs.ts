import type { JsonObject } from '../json/value.ts'
import { linksInto, readPayloadNode } from '../payload.ts'

/** The part of a payload that some of its nodes need: they, and all that leads to them. In the order of the payload. */
export function keepOutputs(payload: JsonObject, outputs: readonly string[]): JsonObject {
  const kept = new Set<string>()
  const open = [...outputs]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (kept.has(id)) continue
    const node = readPayloadNode(id, payload.get(id))
    if (node === undefined) continue
    kept.add(id)
    for (const link of linksInto(node)) open.push(link.node)
  }
  return new Map([...payload].filter(([id]) => kept.has(id)))
}
