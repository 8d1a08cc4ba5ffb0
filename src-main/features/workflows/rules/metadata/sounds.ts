/** Comments of FLAC and Ogg, ID3 of MP3. Source: docs/spec/comfyui.md, 4; RFC 9639, RFC 3533; ID3v2.3, 2.4. */
import { type ByteTools, cutAtZero, joined, latin1, PARTS_MAX, type PictureText, TEXTS_MAX, viewOf } from './bytes.ts'

export function readSoundTexts(bytes: Uint8Array, tools: ByteTools): readonly PictureText[] {
  const mark = latin1(bytes.subarray(0, 4))
  if (mark === 'fLaC') return flacTexts(bytes, tools)
  if (mark === 'OggS') return oggTexts(bytes, tools)
  return mark.startsWith('ID3') ? id3Texts(bytes, tools) : []
}

const VORBIS_COMMENT = 4

function flacTexts(bytes: Uint8Array, tools: ByteTools): readonly PictureText[] {
  for (let at = 4, count = 0; at + 4 <= bytes.length && count < PARTS_MAX; count += 1) {
    const head = viewOf(bytes).getUint32(at)
    const [kind, length] = [(head >>> 24) & 0x7f, head & 0xffffff]
    if (kind === VORBIS_COMMENT) return comments(bytes.subarray(at + 4, at + 4 + length), tools)
    if (head >>> 31 === 1) break
    at += 4 + length
  }
  return []
}

function comments(bytes: Uint8Array, { utf8 }: ByteTools): readonly PictureText[] {
  const view = viewOf(bytes)
  const texts: PictureText[] = []
  const lengthAt = (at: number) => (at + 4 <= bytes.length ? view.getUint32(at, true) : bytes.length)
  let at = 4 + lengthAt(0)
  const count = Math.min(TEXTS_MAX, at + 4 <= bytes.length ? lengthAt(at) : 0)
  at += 4
  for (let index = 0; index < count && at + 4 <= bytes.length; index += 1) {
    const length = lengthAt(at)
    const comment = utf8(bytes.subarray(at + 4, at + 4 + length))
    const end = comment.indexOf('=')
    if (end >= 0) texts.push({ keyword: comment.slice(0, end), text: comment.slice(end + 1) })
    at += 4 + length
  }
  return texts
}

const PAGE_HEAD = 27
const MARKS = ['\u0003vorbis', 'OpusTags']

// The comments are the second packet, which may span many pages.
function oggTexts(bytes: Uint8Array, tools: ByteTools): readonly PictureText[] {
  const parts: Uint8Array[] = []
  let packet = 0
  for (let at = 0, count = 0; at + PAGE_HEAD <= bytes.length && packet < 2 && count < PARTS_MAX; count += 1) {
    if (latin1(bytes.subarray(at, at + 4)) !== 'OggS') break
    const segments = bytes.subarray(at + PAGE_HEAD, at + PAGE_HEAD + (bytes[at + PAGE_HEAD - 1] ?? 0))
    let start = at + PAGE_HEAD + segments.length
    for (const length of segments) {
      if (packet === 1) parts.push(bytes.subarray(start, start + length))
      start += length
      // A segment below 255 bytes ends its packet.
      if (length < 255) packet += 1
    }
    at = start
  }
  const tags = joined(parts)
  const mark = MARKS.find((one) => latin1(tags.subarray(0, one.length)) === one)
  return mark === undefined ? [] : comments(tags.subarray(mark.length), tools)
}

const FRAME_HEAD = 10

function id3Texts(bytes: Uint8Array, tools: ByteTools): readonly PictureText[] {
  const version = bytes[3] ?? 0
  if (version < 3 || bytes.length < FRAME_HEAD) return []
  const end = Math.min(bytes.length, FRAME_HEAD + sevenBits(bytes, 6))
  const texts: PictureText[] = []
  for (let at = FRAME_HEAD, count = 0; at + FRAME_HEAD <= end && count < PARTS_MAX; count += 1) {
    if (texts.length >= TEXTS_MAX) break
    const length = version === 3 ? viewOf(bytes).getUint32(at + 4) : sevenBits(bytes, at + 4)
    const data = bytes.subarray(at + FRAME_HEAD, Math.min(end, at + FRAME_HEAD + length))
    if (latin1(bytes.subarray(at, at + 4)) === 'TXXX') texts.push(...userText(data, tools))
    if (length === 0) break
    at += FRAME_HEAD + length
  }
  return texts
}

// Synchsafe integer: the top bit of each byte is unused.
function sevenBits(bytes: Uint8Array, at: number): number {
  return [0, 1, 2, 3].reduce((sum, index) => sum * 128 + ((bytes[at + index] ?? 0) & 0x7f), 0)
}

const UTF16 = 1
const UTF16_BIG = 2

function userText(data: Uint8Array, { utf8 }: ByteTools): readonly PictureText[] {
  const encoding = data[0]
  const body = data.subarray(1)
  if (encoding === UTF16 || encoding === UTF16_BIG) {
    const [keyword, text] = utf16(body, encoding === UTF16_BIG).split('\0')
    return keyword === undefined || text === undefined ? [] : [{ keyword, text }]
  }
  const [keyword, text] = cutAtZero(body)
  return text === undefined ? [] : [{ keyword: utf8(keyword), text: utf8(text).replace(/\0+$/, '') }]
}

const CHUNK = 8192

/** Decodes UTF-16; byte order marks are removed, because each part may have its own. */
function utf16(bytes: Uint8Array, isBig: boolean): string {
  const parts: string[] = []
  const view = viewOf(bytes)
  let little = !isBig
  let codes: number[] = []
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    const code = view.getUint16(at, little)
    if (code === 0xfffe) little = !little
    else if (code !== 0xfeff) codes.push(code)
    if (codes.length === CHUNK) {
      parts.push(String.fromCharCode(...codes))
      codes = []
    }
  }
  return parts.join('') + String.fromCharCode(...codes)
}
