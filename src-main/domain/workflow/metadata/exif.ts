/**
 * Texts in the EXIF data of WebP and AVIF pictures: fields of the camera whose text is `workflow:{...}` or `prompt:{...}`.
 * Source: editor research, 4; TIFF 6.0; the WebP container.
 */
import { type ByteTools, latin1, type PictureText, TEXT_MAX_BYTES, viewOf } from './bytes.ts'

const ASCII = 2
const ENTRY_BYTES = 12
const ENTRIES_MAX = 1000
const KEYED = /^([A-Za-z_]{1,40}):/
const KEYED_BYTES = 41

/** Whether bytes begin as a WebP picture. */
function isWebp(bytes: Uint8Array): boolean {
  return latin1(bytes.subarray(0, 4)) === 'RIFF' && latin1(bytes.subarray(8, 12)) === 'WEBP'
}

/** The texts of a WebP picture. */
export function readWebpTexts(bytes: Uint8Array, tools: ByteTools): readonly PictureText[] {
  if (!isWebp(bytes)) return []
  const view = viewOf(bytes)
  for (let at = 12; at + 8 <= bytes.length; ) {
    const length = view.getUint32(at + 4, true)
    const data = bytes.subarray(at + 8, at + 8 + length)
    if (latin1(bytes.subarray(at, at + 4)) === 'EXIF') return readExifTexts(data, tools)
    at += 8 + length + (length % 2)
  }
  return []
}

/** The texts of EXIF data, with or without the mark `Exif` before it. */
export function readExifTexts(given: Uint8Array, { utf8 }: ByteTools): readonly PictureText[] {
  const bytes = latin1(given.subarray(0, 4)) === 'Exif' ? given.subarray(6) : given
  if (bytes.length < 8) return []
  const order = latin1(bytes.subarray(0, 2))
  if (order !== 'II' && order !== 'MM') return []
  // Fields may all point at the same place, which would make a thousand texts of one.
  let left = TEXT_MAX_BYTES
  return asciiFields(bytes, order === 'II').flatMap((field) => {
    const keyword = KEYED.exec(latin1(field.subarray(0, KEYED_BYTES)))?.[1]
    if (keyword === undefined || field.length > left) return []
    left -= field.length
    return [{ keyword, text: utf8(field.subarray(keyword.length + 1)) }]
  })
}

/** The texts of the first directory. */
function asciiFields(bytes: Uint8Array, little: boolean): readonly Uint8Array[] {
  const view = viewOf(bytes)
  const start = view.getUint32(4, little)
  if (start + 2 > bytes.length) return []
  const count = Math.min(ENTRIES_MAX, view.getUint16(start, little))
  const fields: Uint8Array[] = []
  for (let entry = start + 2; entry < start + 2 + count * ENTRY_BYTES; entry += ENTRY_BYTES) {
    if (entry + ENTRY_BYTES > bytes.length) break
    if (view.getUint16(entry + 2, little) !== ASCII) continue
    const length = view.getUint32(entry + 4, little)
    const at = length <= 4 ? entry + 8 : view.getUint32(entry + 8, little)
    const field = bytes.subarray(at, at + length)
    fields.push(field.at(-1) === 0 ? field.subarray(0, -1) : field)
  }
  return fields
}
