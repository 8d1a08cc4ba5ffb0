/** Payloads compared by what their nodes do, whatever their ids. */

import { readLink, readPayloadNodes } from '../../src-main/features/workflows/rules/payload.ts'
import { isArray, type JsonObject, type JsonValue, jsonNumber, writeJson } from '../../src-main/lib/json/value.ts'

/**
 * Describes each node of a payload: its class, its values, and the nodes that it gets data from. Two payloads with
 * equal lists mean the same to a worker.
 */
export function whatNodesDo(payload: JsonObject): readonly string[] {
  const nodes = new Map(readPayloadNodes(payload).map((node) => [node.id, node]))
  const known = new Map<string, string>()
  // Of a node of a loop it depends on where the telling began, so that only others are remembered.
  const told = (id: string, within: ReadonlySet<string>): { readonly text: string; readonly isOfLoop: boolean } => {
    const before = known.get(id)
    if (before !== undefined) return { text: before, isOfLoop: false }
    if (within.has(id)) return { text: 'a loop', isOfLoop: true }
    const node = nodes.get(id)
    if (node === undefined) return { text: 'nothing', isOfLoop: false }
    let isOfLoop = false
    const inputs = [...node.inputs].map(([name, value]): readonly [string, JsonValue] => {
      const link = isArray(value) ? readLink(value) : undefined
      if (link === undefined) return [name, value]
      const source = told(link.node, new Set([...within, id]))
      isOfLoop ||= source.isOfLoop
      return [name, [source.text, jsonNumber(link.slot)]]
    })
    const whole = writeJson([node.classType, node.title ?? null, new Map(inputs.sort(([a], [b]) => (a < b ? -1 : 1)))])
    // Short, as what is told of a node is told again by all after it.
    const text = whole.length > 400 ? `${node.classType} ${hash(whole)}` : whole
    if (!isOfLoop) known.set(id, text)
    return { text, isOfLoop }
  }
  return [...nodes.keys()].map((id) => told(id, new Set()).text).sort()
}

function hash(text: string): number {
  let value = 0
  for (let at = 0; at < text.length; at += 1) value = (Math.imul(value, 31) + text.charCodeAt(at)) | 0
  return value
}
