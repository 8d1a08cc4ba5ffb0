/** Pictures as binary messages of a ComfyUI server's socket. Source: docs/spec/comfyui.md, 6. */

const PREVIEW = 1
const PREVIEW_WITH_METADATA = 4
const [JPEG, PNG] = [1, 2]

type Options = {
  readonly promptId: string
  readonly node: string | undefined
  readonly withMetadata: boolean
}

export function encodePreview(preview: string, options: Options): Buffer | undefined {
  const read = readPreview(preview)
  return read && encodePicture(read.type, Buffer.from(read.base64, 'base64'), options)
}

/** @param type `image/png` or `image/jpeg` */
export function encodePicture(type: string, picture: Uint8Array, { promptId, node, withMetadata }: Options): Buffer {
  if (!withMetadata) return Buffer.concat([uint32(PREVIEW), uint32(type === 'image/png' ? PNG : JPEG), picture])
  const metadata = Buffer.from(
    JSON.stringify({
      ...{ node_id: node, display_node_id: node, real_node_id: node, parent_node_id: null },
      ...{ prompt_id: promptId, image_type: type },
    }),
  )
  return Buffer.concat([uint32(PREVIEW_WITH_METADATA), uint32(metadata.length), metadata, picture])
}

export function readPreview(preview: string): { readonly type: string; readonly base64: string } | undefined {
  const [, type, base64] = /^data:(image\/(?:png|jpeg));base64,(.+)$/s.exec(preview) ?? []
  return type === undefined || base64 === undefined ? undefined : { type, base64 }
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
