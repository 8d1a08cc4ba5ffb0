/** A graph as a file: as a document, as a payload, as a picture that holds both. */
import { type WorkflowDocument, writeDocument } from '../../../../src-main/domain/workflow/document/document.ts'
import { writeJson } from '../../../../src-main/domain/workflow/json/write.ts'
import { withPngTexts } from '../../../../src-main/domain/workflow/metadata/png.ts'
import type { NodeTypes } from '../../../../src-main/domain/workflow/node-types.ts'
import { toPayload } from '../../../../src-main/domain/workflow/to-payload/to-payload.ts'
import { renderPicture } from './picture/render-graph.ts'

const INDENT = 2

/** The payload of a document, and how much of it could not be taken over. @param now ms since the epoch */
export function payloadText(document: WorkflowDocument, types: NodeTypes, now: number) {
  const { payload, problems } = toPayload(document, types, now)
  return { text: writeJson(payload, INDENT), problems }
}

/** A picture of the graph that opens as the graph: it carries the texts that pictures of the field carry. */
export async function graphAsPng(document: WorkflowDocument, types: NodeTypes, now: number): Promise<Blob> {
  const drawn = new Uint8Array(await (await renderPicture(document, types)).arrayBuffer())
  const encoder = new TextEncoder()
  const texts = [
    { keyword: 'workflow', text: encoder.encode(writeJson(writeDocument(document))) },
    { keyword: 'prompt', text: encoder.encode(writeJson(toPayload(document, types, now).payload)) },
  ]
  const png = withPngTexts(drawn, texts, crc32)
  if (png === undefined) throw new Error('This browser made no PNG of the graph.')
  return new Blob([new Uint8Array(png)], { type: 'image/png' })
}

const POLYNOMIAL = 0xedb88320
const BYTE_SUMS = Uint32Array.from({ length: 256 }, (_, value) => {
  let sum = value
  for (let bit = 0; bit < 8; bit++) sum = (sum & 1) === 1 ? (sum >>> 1) ^ POLYNOMIAL : sum >>> 1
  return sum
})

/** The checksum of PNG; browsers give none. Source: the PNG specification, annex D. */
export function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff
  for (const byte of bytes) sum = (BYTE_SUMS[(sum ^ byte) & 0xff] ?? 0) ^ (sum >>> 8)
  return (sum ^ 0xffffffff) >>> 0
}
