import { isAscii, isUtf8 } from 'node:buffer'
import { limit } from '../contract/limits.ts'
import type { Json, JsonText } from '../lib/json/bytes.ts'

export type Bytes = Buffer<ArrayBuffer>

/** Decoding ASCII is ten times as fast as UTF-8. */
export function bodyText(bytes: Bytes): JsonText {
  const ascii = isAscii(bytes)
  const text = bytes.toString(ascii ? 'latin1' : 'utf8')
  // In ASCII, offsets in text and bytes are equal.
  const asBytes = (start: number, end: number) => ascii && isLarge(end - start)
  const cut = (start: number, end: number) =>
    asBytes(start, end) ? bytes.subarray(start, end) : text.slice(start, end)
  return { text, scanned: text, cut, whole: undefined }
}

export function joinedJson(pieces: readonly Json[]): Json {
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('')
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF')

/** Some editors and shells add a byte order mark, which JSON does not allow. */
export function withoutMark(bytes: Bytes): Bytes {
  const { length } = BYTE_ORDER_MARK
  return bytes.subarray(0, length).equals(BYTE_ORDER_MARK) ? bytes.subarray(length) : bytes
}

function partOf(bytes: Bytes): Json {
  return isLarge(bytes.length) ? bytes : bytes.toString('utf8')
}

function isLarge(bytes: number): boolean {
  return bytes > limit('payloadInRowBytes')
}

// Parses JSON without building long strings: parsing 20 MB of base64 takes three times as long as storing it. Long
// plain strings are emptied before parsing and passed on as bytes, which keeps validity unchanged.

/** An emptied string: offset of its opening quote, and the missing bytes. */
type Fold = { readonly at: number; readonly bytes: number }

// Shorter strings are cheaper to parse than to skip.
const LONG_BYTES = 64 * 1024
const STRINGS_SAMPLED = 1000
const QUOTE = 34
const BACKSLASH = 92
const COLON = 58
const SPACE = 32
const WORD_BYTES = 4
const WORDS_A_STEP = 4096

/** Text that can be parsed at once; undefined: use `readInThread`. */
export function shortText(bytes: Bytes): JsonText | undefined {
  const most = limit('payloadInRowBytes')
  if (bytes.length <= most) return isUtf8(bytes) ? foldedText(bytes) : bodyText(bytes)
  const strings = isUtf8(bytes) ? longStrings(bytes) : []
  const folded = strings.reduce((sum, { start, end }) => sum + end - start, 0)
  return bytes.length - folded > most ? undefined : textWithout(bytes, strings)
}

/**
 * Empties long plain strings, which are cut out as bytes.
 * @param bytes valid UTF-8
 */
export function foldedText(bytes: Bytes): JsonText {
  return bytes.length > LONG_BYTES ? textWithout(bytes, longStrings(bytes)) : bodyText(bytes)
}

type LongString = { readonly start: number; readonly end: number }

function textWithout(bytes: Bytes, strings: readonly LongString[]): JsonText {
  const pieces: Bytes[] = []
  const folds: Fold[] = []
  let from = 0
  let length = 0
  for (const { start, end } of strings) {
    pieces.push(bytes.subarray(from, start))
    length += start - from
    folds.push({ at: length - 1, bytes: end - start })
    from = end
  }
  const folded = strings.length === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(from)])
  const position = (at: number) => folds.reduce((sum, fold) => (at > fold.at ? sum + fold.bytes : sum), at)
  const cut = (start: number, end: number) => partOf(bytes.subarray(position(start), position(end)))
  // latin1 has one letter per byte, so offsets are equal.
  const scanned = folded.toString('latin1')
  const text = isAscii(folded) ? scanned : folded.toString('utf8')
  return { text, scanned, cut, whole: strings.length === 0 ? undefined : () => bytes.toString('utf8') }
}

const BACKSLASHES_MAX = 10_000

function longStrings(bytes: Bytes): readonly LongString[] {
  const found: LongString[] = []
  let at = 0
  let backslashes = 0
  const closingQuote = (open: number): number => {
    for (let close = bytes.indexOf(QUOTE, open + 1); close !== -1; close = bytes.indexOf(QUOTE, close + 1)) {
      let slashes = 0
      while (bytes[close - 1 - slashes] === BACKSLASH && slashes < BACKSLASHES_MAX) slashes += 1
      if (slashes % 2 === 0 && slashes < BACKSLASHES_MAX) return close
      backslashes += slashes
      if (backslashes >= BACKSLASHES_MAX) return -1
    }
    return -1
  }
  for (let sampled = 0; sampled < STRINGS_SAMPLED; sampled++) {
    const open = bytes.indexOf(QUOTE, at)
    const close = open === -1 ? -1 : closingQuote(open)
    if (close === -1) break
    const start = open + 1
    if (close - start > LONG_BYTES && !isKey(bytes, close) && isPlain(bytes, start, close))
      found.push({ start, end: close })
    at = close + 1
  }
  return found
}

function isKey(bytes: Bytes, close: number): boolean {
  let next = close + 1
  while (next < bytes.length && (bytes[next] ?? 0) <= SPACE) next += 1
  return bytes[next] === COLON
}

function isPlain(bytes: Bytes, start: number, end: number): boolean {
  return !bytes.subarray(start, end).includes(BACKSLASH) && !hasControls(bytes, start, end)
}

function hasControls(bytes: Bytes, start: number, end: number): boolean {
  const wordsFrom = start + ((WORD_BYTES - ((bytes.byteOffset + start) % WORD_BYTES)) % WORD_BYTES)
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + wordsFrom, Math.floor((end - wordsFrom) / WORD_BYTES))
  const isControl = (byte: number) => byte < SPACE
  const wordsTo = wordsFrom + words.length * WORD_BYTES
  if (bytes.subarray(start, wordsFrom).some(isControl) || bytes.subarray(wordsTo, end).some(isControl)) return true
  // In steps, because one long loop would be recompiled for each body.
  for (let at = 0; at < words.length; at += WORDS_A_STEP)
    if (holdsControl(words, at, Math.min(words.length, at + WORDS_A_STEP))) return true
  return false
}

/** Whether any byte is below 32, four at a time: subtracting 32 from each byte of a word sets its highest bit. */
function holdsControl(words: Int32Array, from: number, to: number): boolean {
  let cameUp = 0
  for (let at = from; at < to; at++) {
    const word = words[at] as number
    cameUp |= (word - 0x20202020) & ~word
  }
  return (cameUp & 0x80808080) !== 0
}
