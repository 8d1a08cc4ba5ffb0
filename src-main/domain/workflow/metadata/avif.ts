/** The EXIF data of AVIF pictures. Source: editor research, 4; ISO/IEC 23008-12, items. */
import { boxesOf, boxIn, brandOf } from './boxes.ts'
import { type ByteTools, latin1, type PictureText, viewOf } from './bytes.ts'
import { readExifTexts } from './exif.ts'

const FULL_BOX = 4
const ITEMS_MAX = 1000

/** The texts of an AVIF picture. */
export function readAvifTexts(bytes: Uint8Array, tools: ByteTools): readonly PictureText[] {
  const brand = brandOf(bytes)
  const meta = brand === 'avif' || brand === 'avis' ? boxIn(bytes, 'meta')?.subarray(FULL_BOX) : undefined
  const item = meta && exifItem(boxIn(meta, 'iinf'))
  const place = item === undefined ? undefined : placeOf(boxIn(meta, 'iloc'), item)
  if (place === undefined || place.length < FULL_BOX) return []
  const data = bytes.subarray(place.at, place.at + place.length)
  if (data.length < FULL_BOX) return []
  // First stands how far on the data begins.
  return readExifTexts(data.subarray(FULL_BOX + viewOf(data).getUint32(0)), tools)
}

/** The id of the item with EXIF data. */
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

/** Where an item is in the file: its first extent. */
function placeOf(iloc: Uint8Array | undefined, item: number): Extent | undefined {
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

/** Reads whole numbers of so many bytes, one after the other; beyond the end they are 0. */
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
