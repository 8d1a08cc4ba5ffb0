/**
 * Width and height of pictures by their heads alone: nothing is unpacked, so that a picture that would unpack to
 * gigabytes costs what any other does. Source: the formats' specifications.
 */

/** Size of a picture in pixels. */
export type PictureSize = { readonly width: number; readonly height: number }

// A JPEG has its size after texts and thumbnails of 64 KiB each.
const SEGMENTS_MAX = 200
const AVIF_HEAD_BYTES = 4096
const SIDE_MAX = 2 ** 31

/** The size of a picture; undefined where it is none that is known, or is cut off before its size. */
export function pictureSize(bytes: Uint8Array, mediaType: string): PictureSize | undefined {
  const size = READERS[mediaType]?.(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (size === undefined) return undefined
  const isReal = [size.width, size.height].every((side) => side > 0 && side < SIDE_MAX)
  return isReal ? size : undefined
}

type Reader = (bytes: Uint8Array, view: DataView) => PictureSize | undefined

const READERS: Readonly<Record<string, Reader>> = {
  'image/png': (bytes, view) =>
    bytes.length < 24 ? undefined : { width: view.getUint32(16), height: view.getUint32(20) },
  'image/gif': (bytes, view) =>
    bytes.length < 10 ? undefined : { width: view.getUint16(6, true), height: view.getUint16(8, true) },
  'image/jpeg': jpegSize,
  'image/webp': webpSize,
  'image/avif': avifSize,
}

function jpegSize(bytes: Uint8Array, view: DataView): PictureSize | undefined {
  let at = 2
  for (let segment = 0; segment < SEGMENTS_MAX && at + 9 <= bytes.length; segment++) {
    if (bytes[at] !== 0xff) return undefined
    const kind = bytes[at + 1] ?? 0
    if (kind === 0xff) at += 1
    else if (isFrame(kind)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    else at += 2 + view.getUint16(at + 2)
  }
  return undefined
}

// Start of frame, of any way of coding; C4, C8 and CC are tables.
const isFrame = (kind: number) => kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind)

function webpSize(bytes: Uint8Array, view: DataView): PictureSize | undefined {
  if (bytes.length < 30) return undefined
  const kind = String.fromCharCode(...bytes.subarray(12, 16))
  if (kind === 'VP8X') return { width: 1 + uint24(view, 24), height: 1 + uint24(view, 27) }
  if (kind === 'VP8 ') return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  if (kind !== 'VP8L') return undefined
  const packed = view.getUint32(21, true)
  return { width: 1 + (packed & 0x3fff), height: 1 + ((packed >>> 14) & 0x3fff) }
}

const uint24 = (view: DataView, at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 65_536

// The box `ispe` lies among the properties of the picture, which are in its head.
function avifSize(bytes: Uint8Array, view: DataView): PictureSize | undefined {
  const end = Math.min(bytes.length, AVIF_HEAD_BYTES) - 16
  for (let at = 0; at < end; at++)
    if (view.getUint32(at) === 0x69737065) return { width: view.getUint32(at + 8), height: view.getUint32(at + 12) }
  return undefined
}
