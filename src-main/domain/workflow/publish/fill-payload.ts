/** The payload of a published graph with the values of a request in it. Source: image-workflows, Published graphs. */
import type { GraphParameter } from '../../../contract/published.ts'
import { isObject, type JsonObject, type JsonValue, withKey } from '../json/value.ts'

/** A picture that goes with a payload, as workers take them. */
export type SentImage = { readonly name: string; readonly image: string }

/** What is sent: the payload, and the pictures that its nodes load. */
export type FilledPayload = { readonly payload: JsonObject; readonly images: readonly SentImage[] }

/** Sets the values. A picture is sent beside the payload, under a name of its parameter's own. */
export function fillPayload(
  payload: JsonObject,
  parameters: readonly GraphParameter[],
  values: ReadonlyMap<string, JsonValue>,
): FilledPayload {
  let filled = payload
  const images: SentImage[] = []
  for (const { name, node, input, type } of parameters) {
    const value = values.get(name)
    if (value === undefined) continue
    const isImage = type === 'image' && typeof value === 'string'
    if (isImage) images.push({ name: `${name}.png`, image: value })
    filled = withInput(filled, node, input, isImage ? `${name}.png` : value)
  }
  return { payload: filled, images }
}

/** A payload with one input of a node set; itself where there is no such node. */
export function withInput(payload: JsonObject, nodeId: string, input: string, value: JsonValue): JsonObject {
  const node = payload.get(nodeId)
  const inputs = isObject(node) ? node.get('inputs') : undefined
  if (!isObject(node) || !isObject(inputs)) return payload
  return withKey(payload, nodeId, withKey(node, 'inputs', withKey(inputs, input, value)))
}
