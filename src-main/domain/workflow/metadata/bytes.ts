import { MIB } from '../../../contract/units.ts'

/** What the readers of pictures need of the runtime, as domain knows none. */
export type ByteTools = {
  /** Text of UTF-8; what is none becomes the replacement sign. */
  readonly utf8: (bytes: Uint8Array) => string
  /** Unpacks a zlib stream; undefined where it is damaged, or larger than `most` bytes. */
  readonly inflate: (bytes: Uint8Array, most: number) => Uint8Array | undefined
}

/** A text in a picture under its keyword. */
export type PictureText = { readonly keyword: string; readonly text: string }

/** Most bytes of one text, unpacked. Source: ours, because the largest graphs seen are 2 MB; a bomb is more. */
export const TEXT_MAX_BYTES = 64 * MIB

/**
 * Most parts of a file that are looked at: chunks, blocks, pages, frames. Source: ours, some ten times the parts of a
 * picture or sound of 64 MB; a crafted one could have millions of empty ones.
 */
export const PARTS_MAX = 50_000

/** Most texts of a file. Source: ours; tools write two. */
export const TEXTS_MAX = 1000

/** Text of ISO 8859-1: one sign a byte. For keywords and marks, which are short. */
export function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (value) => String.fromCharCode(value)).join('')
}

/** What stands before the first zero, and what after it; without one there is no after. */
export function cutAtZero(bytes: Uint8Array): readonly [before: Uint8Array, after: Uint8Array | undefined] {
  const at = bytes.indexOf(0)
  return at < 0 ? [bytes, undefined] : [bytes.subarray(0, at), bytes.subarray(at + 1)]
}

/** A view of the numbers in bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Bytes one after the other. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
