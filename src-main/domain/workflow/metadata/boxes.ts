/** Boxes of ISO media files: MP4, MOV, AVIF. Source: ISO/IEC 14496-12. */
import { latin1, viewOf } from './bytes.ts'

/** A box: its type, and what is in it. */
export type Box = { readonly type: string; readonly data: Uint8Array }

const HEAD = 8
const LONG_HEAD = 16
// More than any file has in one place; a crafted one could have millions.
const BOXES_MAX = 10_000

/** The boxes in bytes, one after the other; what is cut off is left out. */
export function boxesOf(bytes: Uint8Array): readonly Box[] {
  const view = viewOf(bytes)
  const boxes: Box[] = []
  let at = 0
  while (at + HEAD <= bytes.length && boxes.length < BOXES_MAX) {
    const short = view.getUint32(at)
    const isLong = short === 1 && at + LONG_HEAD <= bytes.length
    const length = isLong ? Number(view.getBigUint64(at + HEAD)) : short === 0 ? bytes.length - at : short
    const head = isLong ? LONG_HEAD : HEAD
    if (length < head || at + length > bytes.length) break
    boxes.push({ type: latin1(bytes.subarray(at + 4, at + HEAD)), data: bytes.subarray(at + head, at + length) })
    at += length
  }
  return boxes
}

/** What is in the first box of a type; undefined where there is none. */
export const boxIn = (bytes: Uint8Array | undefined, type: string): Uint8Array | undefined =>
  bytes && boxesOf(bytes).find((box) => box.type === type)?.data

/** The brand that a file begins with, like `avif` or `isom`; undefined where it is no such file. */
export function brandOf(bytes: Uint8Array): string | undefined {
  return latin1(bytes.subarray(4, 8)) === 'ftyp' ? latin1(bytes.subarray(8, 12)) : undefined
}
