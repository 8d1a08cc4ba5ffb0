/** Payloads compared by what their nodes do, whatever their ids. */
import { isArray, type JsonObject, type JsonValue, jsonNumber } from '../../src-main/domain/workflow/json/value.ts'
import { writeJson } from '../../src-main/domain/workflow/json/write.ts'
import { readLink, readPayloadNodes } from '../../src-main/domain/workflow/payload.ts'

/**
 * What each node of a payload does: its class, its values, and what the nodes do that it gets data from. Two payloads say
 * the same to a worker where these lists are equal.
 */
export function whatNodesDo(payload: JsonObject): readonly string[] {
  const nodes = new Map(readPayloadNodes(payload).map((node) => [node.id, node]))
  const known = new Map<string, string>()
  const told = (id: string): string => {
    const before = known.get(id)
    if (before !== undefined) return before
    known.set(id, 'a loop')
    const node = nodes.get(id)
    if (node === undefined) return 'nothing'
    const inputs = [...node.inputs].map(([name, value]): readonly [string, JsonValue] => {
      const link = isArray(value) ? readLink(value) : undefined
      return link === undefined ? [name, value] : [name, [told(link.node), jsonNumber(link.slot)]]
    })
    const text = writeJson([node.classType, node.title ?? null, new Map(inputs.sort(([a], [b]) => (a < b ? -1 : 1)))])
    // Short, as what is told of a node is told again by all after it.
    const name = text.length > 400 ? `${node.classType} ${hash(text)}` : text
    known.set(id, name)
    return name
  }
  return [...nodes.keys()].map(told).sort()
}

function hash(text: string): number {
  let value = 0
  for (let at = 0; at < text.length; at += 1) value = (Math.imul(value, 31) + text.charCodeAt(at)) | 0
  return value
}
