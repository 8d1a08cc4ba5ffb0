/** Previews as binary messages of a ComfyUI server's socket. Source: docs/spec/comfyui.md, 6. */

const PREVIEW = 1
const PREVIEW_WITH_METADATA = 4
const [JPEG, PNG] = [1, 2]

/**
 * @param preview a data URI of JPEG or PNG
 * @param withMetadata whether the client understands previews that name their node
 * @returns undefined for other previews
 */
export function encodePreview(
  preview: string,
  {
    promptId,
    node,
    withMetadata,
  }: { readonly promptId: string; readonly node: string | undefined; readonly withMetadata: boolean },
): Buffer | undefined {
  const [, type, data] = /^data:(image\/(?:png|jpeg));base64,(.+)$/s.exec(preview) ?? []
  if (type === undefined || data === undefined) return undefined
  const picture = Buffer.from(data, 'base64')
  if (!withMetadata) return Buffer.concat([uint32(PREVIEW), uint32(type === 'image/png' ? PNG : JPEG), picture])
  const metadata = Buffer.from(
    JSON.stringify({
      ...{ node_id: node, display_node_id: node, real_node_id: node, parent_node_id: null },
      ...{ prompt_id: promptId, image_type: type },
    }),
  )
  return Buffer.concat([uint32(PREVIEW_WITH_METADATA), uint32(metadata.length), metadata, picture])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
