import { parseJson } from '../../../../src-main/lib/json/parse.ts'
import { asText } from '../../../../src-main/lib/json/plain.ts'
import { isObject, type JsonObject } from '../../../../src-main/lib/json/value.ts'

/** A parsed message of the server's socket. Source: docs/spec/comfyui.md, 6. */
export type ServerMessage = { readonly type: string; readonly data: JsonObject }

export type Preview = {
  readonly node: string | undefined
  readonly promptId: string | undefined
  readonly type: 'image/jpeg' | 'image/png'
  readonly picture: Uint8Array
}

export function readServerMessage(text: string): ServerMessage | undefined {
  const message = parseJson(text, { bare: 'null' })
  if (!isObject(message)) return undefined
  const [type, data] = [message.get('type'), message.get('data')]
  return typeof type === 'string' && isObject(data) ? { type, data } : undefined
}

export const textIn = (data: JsonObject, name: string): string | undefined => asText(data.get(name))

const PICTURE = 1
const PICTURE_WITH_FACTS = 4
const PNG = 2

/** Reads a binary message; undefined unless it is a picture. Source: docs/spec/comfyui.md, 6. */
export function readPreview(bytes: Uint8Array): Preview | undefined {
  if (bytes.length < 8) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [kind, second] = [view.getUint32(0), view.getUint32(4)]
  const rest = bytes.subarray(8)
  if (kind === PICTURE) {
    const type = second === PNG ? 'image/png' : 'image/jpeg'
    return { node: undefined, promptId: undefined, type, picture: rest }
  }
  if (kind !== PICTURE_WITH_FACTS || second > rest.length) return undefined
  const facts = parseJson(new TextDecoder().decode(rest.subarray(0, second)), { bare: 'null' })
  if (!isObject(facts)) return undefined
  return {
    node: textIn(facts, 'display_node_id') ?? textIn(facts, 'node_id'),
    promptId: textIn(facts, 'prompt_id'),
    type: textIn(facts, 'image_type') === 'image/png' ? 'image/png' : 'image/jpeg',
    picture: rest.subarray(second),
  }
}
