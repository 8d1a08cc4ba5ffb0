import { withPngTexts } from './png.ts'

/** The graph that made a picture, as texts of JSON; a missing one is not written, and not taken away either. */
export type GraphTexts = { readonly workflow?: string; readonly prompt?: string }

/**
 * The PNG picture with its graph in it, as every editor of the field reads it: document and payload.
 * @param encode text as UTF-8
 * @returns undefined where the bytes are no whole PNG picture
 */
export function writeGraphIntoPng(
  bytes: Uint8Array,
  { workflow, prompt }: GraphTexts,
  encode: (text: string) => Uint8Array,
): Uint8Array | undefined {
  const texts = [
    ...(prompt === undefined ? [] : [{ keyword: 'prompt', text: encode(prompt) }]),
    ...(workflow === undefined ? [] : [{ keyword: 'workflow', text: encode(workflow) }]),
  ]
  return withPngTexts(bytes, texts, crc32)
}

// Of the PNG specification, annex D.
const POLYNOMIAL = 0xedb88320

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1
  return value
})

/** The checksum of PNG chunks. */
export function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff
  for (const byte of bytes) value = (TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8)
  return (value ^ 0xffffffff) >>> 0
}
