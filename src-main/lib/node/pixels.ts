import { inflateSync } from 'node:zlib'
import { convertIndexedToRgb, decode as decodePng, encode as encodePng } from 'fast-png'
import { decode as decodeJpeg, encode as encodeJpeg } from 'jpeg-js'
import { pictureSize } from '../media.ts'

/** A byte per channel: RGBA, or RGB from `withoutAlpha`. */
export type Pixels = { readonly width: number; readonly height: number; readonly data: Uint8Array }

// Maximum megapixels. Source: ours; a small file may claim any size.
const MEGAPIXELS_MAX = 64
// Decoding a JPEG takes up to 0.4 s of processor time per megapixel, and as long again to write one. Source: measured.
const JPEG_MEGAPIXELS_MAX = 24

/**
 * Decodes a PNG or JPEG; undefined for other formats or if too large.
 * @param type media type
 * @throws Error if damaged
 */
export function readPixels(bytes: Uint8Array, type: string): Pixels | undefined {
  const { width = 0, height = 0 } = pictureSize(bytes, type) ?? {}
  if (width * height === 0 || width * height > MEGAPIXELS_MAX * 1e6) return undefined
  if (type === 'image/jpeg')
    return width * height > JPEG_MEGAPIXELS_MAX * 1e6
      ? undefined
      : decodeJpeg(bytes, { useTArray: true, maxResolutionInMP: JPEG_MEGAPIXELS_MAX })
  if (type !== 'image/png') return undefined
  // A sample of 16 bits takes twice the memory.
  if (bytes[24] === 16 && width * height > (MEGAPIXELS_MAX / 2) * 1e6) return undefined
  const png = decodePng(boundedPng(bytes, width, height))
  const samples = png.palette === undefined ? png.data : convertIndexedToRgb(png)
  const channels = png.palette === undefined ? png.channels : (png.palette[0]?.length ?? 3)
  const most = png.palette === undefined ? 2 ** png.depth - 1 : 255
  const hasOpacity = channels === 2 || channels === 4
  const data = new Uint8Array(width * height * 4)
  for (let pixel = 0; pixel < width * height; pixel++)
    for (let channel = 0; channel < 4; channel++) {
      const from = channel === 3 ? channels - 1 : channels < 3 ? 0 : channel
      const sample = channel === 3 && !hasOpacity ? most : (samples[pixel * channels + from] ?? 0)
      data[pixel * 4 + channel] = (sample / most) * 255
    }
  return { width, height, data }
}

const SIGNATURE_BYTES = 8
const PIXEL_CHUNKS = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']

/**
 * Keeps only the chunks of pixels, and bounds their size: a megabyte of zeros becomes a gigabyte whatever the header
 * says, also in a colour profile. A row has at most eight bytes per pixel plus one; interlaced images have seven passes.
 */
function boundedPng(bytes: Uint8Array, width: number, height: number): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const kept = [bytes.subarray(0, SIGNATURE_BYTES)]
  const compressed: Uint8Array[] = []
  for (let at = SIGNATURE_BYTES; at + 12 <= bytes.length; ) {
    const end = at + 12 + view.getUint32(at)
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
    if (PIXEL_CHUNKS.includes(name) && (name !== 'IHDR' || at === SIGNATURE_BYTES)) kept.push(bytes.subarray(at, end))
    if (name === 'IDAT') compressed.push(bytes.subarray(at + 8, end - 4))
    at = end
  }
  inflateSync(Buffer.concat(compressed), { maxOutputLength: width * height * 8 + 7 * height + 64 })
  return Buffer.concat(kept)
}

export const writePng = (pixels: Pixels): Uint8Array<ArrayBuffer> =>
  encodePng({ ...pixels, channels: pixels.data.length / (pixels.width * pixels.height), depth: 8 }).slice()

/** @param quality 1 to 100 */
export const writeJpeg = (pixels: Pixels, quality: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(encodeJpeg(pixels, quality).data)

export const isOpaque = ({ data }: Pixels): boolean => {
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return false
  return true
}

export function withoutAlpha({ width, height, data }: Pixels): Pixels {
  const rgb = new Uint8Array(width * height * 3)
  for (let at = 0; at < width * height; at++) rgb.set(data.subarray(at * 4, at * 4 + 3), at * 3)
  return { width, height, data: rgb }
}

/** @param alpha RGBA of a picture of the same size, of which only the alpha is used */
export function withAlphaOf({ data: colours, ...size }: Pixels, alpha: Uint8Array): Pixels {
  const data = Uint8Array.from(colours)
  for (let at = 3; at < data.length; at += 4) data[at] = alpha[at] ?? 255
  return { ...size, data }
}
