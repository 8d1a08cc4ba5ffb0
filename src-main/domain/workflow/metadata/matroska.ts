/** Tags of WebM films. Source: editor research, 4; RFC 8794 (EBML), RFC 9559 (Matroska). */
import { type ByteTools, type PictureText, viewOf } from './bytes.ts'

const EBML = 0x1a45dfa3
const SEGMENT = 0x18538067
const TAGS = 0x1254c367
const TAG = 0x7373
const SIMPLE_TAG = 0x67c8
const TAG_NAME = 0x45a3
const TAG_STRING = 0x4487
const CLUSTER = 0x1f43b675
const INSIDE = new Set([SEGMENT, TAGS, TAG, SIMPLE_TAG])
// Films that were written as they were made have clusters without a length.
const MAYBE_ENDLESS = new Set([...INSIDE, CLUSTER])

// A film of hours has some ten thousand clusters; a crafted one could have millions of empty elements.
const ELEMENTS_MAX = 200_000
const TEXTS_MAX = 1000

/** The tags of a film. */
export function readMatroskaTexts(bytes: Uint8Array, { utf8 }: ByteTools): readonly PictureText[] {
  if (bytes.length < 4 || viewOf(bytes).getUint32(0) !== EBML) return []
  const texts: PictureText[] = []
  let keyword: string | undefined
  // What is within others comes right after their heads, so that one walk without depth sees all.
  for (let at = 0, count = 0; at < bytes.length && count < ELEMENTS_MAX && texts.length < TEXTS_MAX; count += 1) {
    const id = numberAt(bytes, at, false)
    const size = id && numberAt(bytes, at + id.length, true)
    if (id === undefined || size === undefined) break
    // Only what holds others may be without an end.
    if (size.isUnknown && !MAYBE_ENDLESS.has(id.value)) break
    const start = at + id.length + size.length
    const data = bytes.subarray(start, start + size.value)
    if (id.value === TAG_NAME) keyword = utf8(data)
    if (id.value === TAG_STRING && keyword !== undefined) texts.push({ keyword, text: utf8(data) })
    at = INSIDE.has(id.value) || size.isUnknown ? start : start + size.value
  }
  return texts
}

type Varying = { readonly value: number; readonly length: number; readonly isUnknown: boolean }

/** A number of 1 to 8 bytes, whose first says how many. @param isSize without the bit that says it */
function numberAt(bytes: Uint8Array, at: number, isSize: boolean): Varying | undefined {
  const first = bytes[at] ?? 0
  const length = first === 0 ? 9 : Math.clz32(first) - 23
  if (length > 8 || at + length > bytes.length) return undefined
  const kept = isSize ? first & (0xff >> length) : first
  let value = kept
  let isUnknown = isSize && kept === 0xff >> length
  for (let index = 1; index < length; index += 1) {
    const byte = bytes[at + index] ?? 0
    value = value * 256 + byte
    isUnknown &&= byte === 0xff
  }
  return { value, length, isUnknown }
}
