import { isAscii } from 'node:buffer'
import { limit } from '../contract/limits.ts'
import type { Json, JsonText } from '../domain/json/json.ts'

/** Bytes of a body. */
export type Bytes = Buffer<ArrayBuffer>

/** Makes the whole text of a body. What is ASCII is made into text ten times as fast as UTF-8. */
export function bodyText(bytes: Bytes): JsonText {
  const ascii = isAscii(bytes)
  const text = bytes.toString(ascii ? 'latin1' : 'utf8')
  // Of ASCII each letter is one byte, so that a place in the text is a place in the bytes.
  const asBytes = (start: number, end: number) => ascii && isLarge(end - start)
  const cut = (start: number, end: number) =>
    asBytes(start, end) ? bytes.subarray(start, end) : text.slice(start, end)
  return { text, scanned: text, cut, whole: undefined }
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF')

/** A body without the byte order mark that some editors and shells put before UTF-8, and that no JSON begins with. */
export function withoutMark(bytes: Bytes): Bytes {
  const { length } = BYTE_ORDER_MARK
  return bytes.subarray(0, length).equals(BYTE_ORDER_MARK) ? bytes.subarray(length) : bytes
}

/** A part of a body as it is passed on: text, or its bytes where it is too large for a row of the database. */
export function partOf(bytes: Bytes): Json {
  return isLarge(bytes.length) ? bytes : bytes.toString('utf8')
}

/** JSON as text. */
export function textOf(json: Json): string {
  return typeof json === 'string' ? json : new TextDecoder().decode(json)
}

function isLarge(bytes: number): boolean {
  return bytes > limit('payloadInRowBytes')
}
