import { MIB } from '../../../../lib/units.ts'

export type ByteTools = {
  readonly utf8: (bytes: Uint8Array) => string
  /** Unpacks a zlib stream; undefined if it is damaged, or larger than `most` bytes. */
  readonly inflate: (bytes: Uint8Array, most: number) => Uint8Array | undefined
}

export type PictureText = { readonly keyword: string; readonly text: string }

/**
 * Size limit of one unpacked text. Source: ours, because the largest known graphs take 2 MB, and a zip bomb is larger.
 */
export const TEXT_MAX_BYTES = 64 * MIB

/**
 * Maximum chunks, blocks, pages or frames. Source: ours, ten times a 64 MB picture's; crafted files could have millions
 * of empty ones.
 */
export const PARTS_MAX = 50_000

/** Limit of texts in a file. Source: ours; tools write two. */
export const TEXTS_MAX = 1000

export function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (value) => String.fromCharCode(value)).join('')
}

export function cutAtZero(bytes: Uint8Array): readonly [before: Uint8Array, after: Uint8Array | undefined] {
  const at = bytes.indexOf(0)
  return at < 0 ? [bytes, undefined] : [bytes.subarray(0, at), bytes.subarray(at + 1)]
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
