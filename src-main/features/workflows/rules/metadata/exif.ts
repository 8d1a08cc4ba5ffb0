/**
 * Reads `workflow:{...}` and `prompt:{...}` from EXIF of WebP and AVIF. Source: docs/spec/comfyui.md, 4; TIFF 6.0; the
 * WebP container.
 */
import { type ByteTools, latin1, PARTS_MAX, type PictureText, TEXT_MAX_BYTES, viewOf } from './bytes.ts'

const ASCII = 2
const ENTRY_BYTES = 12
const ENTRIES_MAX = 1000
const KEYED = /^([A-Za-z_]{1,40}):/
const KEYED_BYTES = 41

function isWebp(bytes: Uint8Array): boolean {
  return latin1(bytes.subarray(0, 4)) === 'RIFF' && latin1(bytes.subarray(8, 12)) === 'WEBP'
}

export function readWebpTexts(bytes: Uint8Array, tools: ByteTools): readonly PictureText[] {
  if (!isWebp(bytes)) return []
  const view = viewOf(bytes)
  for (let at = 12, count = 0; at + 8 <= bytes.length && count < PARTS_MAX; count += 1) {
    const length = view.getUint32(at + 4, true)
    const data = bytes.subarray(at + 8, at + 8 + length)
    if (latin1(bytes.subarray(at, at + 4)) === 'EXIF') return readExifTexts(data, tools)
    at += 8 + length + (length % 2)
  }
  return []
}

function readExifTexts(given: Uint8Array, { utf8 }: ByteTools): readonly PictureText[] {
  const bytes = latin1(given.subarray(0, 4)) === 'Exif' ? given.subarray(6) : given
  if (bytes.length < 8) return []
  const order = latin1(bytes.subarray(0, 2))
  if (order !== 'II' && order !== 'MM') return []
  // All fields may point at the same bytes, which would turn one text into a thousand.
  let left = TEXT_MAX_BYTES
  return asciiFields(bytes, order === 'II').flatMap((field) => {
    const keyword = KEYED.exec(latin1(field.subarray(0, KEYED_BYTES)))?.[1]
    if (keyword === undefined || field.length > left) return []
    left -= field.length
    return [{ keyword, text: utf8(field.subarray(keyword.length + 1)) }]
  })
}

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

// EXIF data of AVIF pictures. Source: docs/spec/comfyui.md, 4; ISO/IEC 23008-12, items.

/** Bytes of version and flags at the start of some boxes. Source: ISO/IEC 14496-12, FullBox. */
export const FULL_BOX = 4
const ITEMS_MAX = 1000

export function readAvifTexts(bytes: Uint8Array, tools: ByteTools): readonly PictureText[] {
  const brand = brandOf(bytes)
  const meta = brand === 'avif' || brand === 'avis' ? boxIn(bytes, 'meta')?.subarray(FULL_BOX) : undefined
  const item = meta && exifItem(boxIn(meta, 'iinf'))
  const extent = item === undefined ? undefined : extentOf(boxIn(meta, 'iloc'), item)
  if (extent === undefined || extent.length < FULL_BOX) return []
  const data = bytes.subarray(extent.at, extent.at + extent.length)
  if (data.length < FULL_BOX) return []
  // The first field is the offset of the data.
  return readExifTexts(data.subarray(FULL_BOX + viewOf(data).getUint32(0)), tools)
}

function exifItem(iinf: Uint8Array | undefined): number | undefined {
  if (iinf === undefined || iinf.length < FULL_BOX + 2) return undefined
  const entries = boxesOf(iinf.subarray(FULL_BOX + (iinf[0] === 0 ? 2 : 4)))
  for (const { type, data } of entries.slice(0, ITEMS_MAX)) {
    if (type !== 'infe' || data.length < 12) continue
    const view = viewOf(data)
    const isLong = data[0] === 3
    const at = isLong ? 8 : 6
    const [id, kind] = [isLong ? view.getUint32(FULL_BOX) : view.getUint16(FULL_BOX), data.subarray(at + 2, at + 6)]
    if (latin1(kind) === 'Exif') return id
  }
  return undefined
}

type Extent = { readonly at: number; readonly length: number }

function extentOf(iloc: Uint8Array | undefined, item: number): Extent | undefined {
  if (iloc === undefined || iloc.length < FULL_BOX + 4) return undefined
  const reader = createReader(iloc, FULL_BOX)
  const version = iloc[0] ?? 0
  const sizes = reader.read(2)
  const [offsetSize, lengthSize] = [(sizes >> 12) & 15, (sizes >> 8) & 15]
  const [baseSize, indexSize] = [(sizes >> 4) & 15, version === 0 ? 0 : sizes & 15]
  const count = Math.min(ITEMS_MAX, reader.read(version < 2 ? 2 : 4))
  for (let entry = 0; entry < count && !reader.isOver(); entry += 1) {
    const id = reader.read(version < 2 ? 2 : 4)
    if (version > 0) reader.read(2)
    reader.read(2)
    const base = reader.read(baseSize)
    const extents = reader.read(2)
    for (let extent = 0; extent < extents && !reader.isOver(); extent += 1) {
      reader.read(indexSize)
      const [at, length] = [base + reader.read(offsetSize), reader.read(lengthSize)]
      if (id === item) return { at, length }
    }
  }
  return undefined
}

function createReader(bytes: Uint8Array, start: number) {
  let at = start
  return {
    read(size: number): number {
      let value = 0
      for (let count = 0; count < size; count += 1, at += 1) value = value * 256 + (bytes[at] ?? 0)
      return value
    },
    isOver: () => at >= bytes.length,
  }
}

// Boxes of ISO media files (MP4, MOV, AVIF). Source: ISO/IEC 14496-12.

type Box = { readonly type: string; readonly data: Uint8Array }

const HEAD = 8
const LONG_HEAD = 16
// More than any real file has; a crafted one could have millions.
const BOXES_MAX = 10_000

export function boxesOf(bytes: Uint8Array, most: number = BOXES_MAX): readonly Box[] {
  const view = viewOf(bytes)
  const boxes: Box[] = []
  let at = 0
  while (at + HEAD <= bytes.length && boxes.length < most) {
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

export const boxIn = (bytes: Uint8Array | undefined, type: string): Uint8Array | undefined =>
  bytes && boxesOf(bytes).find((box) => box.type === type)?.data

export function brandOf(bytes: Uint8Array): string | undefined {
  return latin1(bytes.subarray(4, 8)) === 'ftyp' ? latin1(bytes.subarray(8, 12)) : undefined
}
