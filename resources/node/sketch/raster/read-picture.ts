/** Files of pictures that were sent along. */
import { decode as decodePng } from 'fast-png'
import { decode as decodeJpeg } from 'jpeg-js'
import { pictureSize } from '../../../../src-main/domain/media.ts'
import type { Mask, Raster } from '../values.ts'
import { plainPng } from './plain-png.ts'

// Most pixels of a picture, in millions. Source: ours; a small file may claim to be any size.
const MEGAPIXELS_MAX = 64
// Most pixels of all scans of a JPEG, in millions. Source: ours; a progressive one has some ten, a hostile one
// thousands.
const SCANNED_MAX = 1024
const [MARK, SCAN] = [0xff, 0xda]

/** A file that is no picture that can be read here; the text says why, for a person. */
export class PictureError extends Error {}

/** A picture, and where it is transparent. */
export type ReadPicture = { readonly raster: Raster; readonly mask: Mask }

/** Reads PNG and JPEG. @throws PictureError */
export function readPicture(bytes: Uint8Array): ReadPicture {
  const kind = kindOf(bytes)
  if (kind !== 'png' && kind !== 'jpeg')
    throw new PictureError(`it is ${kind}, and this worker reads PNG and JPEG. Save it as one of them`)
  try {
    return kind === 'png' ? readPng(bytes) : readJpeg(bytes)
  } catch (error) {
    if (error instanceof PictureError) throw error
    throw new PictureError('it is damaged. Save it again', { cause: error })
  }
}

function kindOf(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  if (head.startsWith('\x89PNG')) return 'png'
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (head.startsWith('GIF8')) return 'a GIF'
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'a WebP'
  return 'not a picture'
}

function readPng(bytes: Uint8Array): ReadPicture {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  refuseLarge(view.getUint32(16), view.getUint32(20))
  const plain = plainPng(bytes)
  if (plain === undefined) throw new PictureError('it is damaged. Save it again')
  const { width, height, data, channels, depth, palette } = decodePng(plain)
  const most = 2 ** depth - 1
  // Of a palette the colours; of grey one value for all three; the last of two or four is how solid it is.
  const sample = (place: number, channel: number): number => {
    if (palette !== undefined) return (palette[data[place] ?? 0]?.[channel] ?? 255) / 255
    const hasAlpha = channels === 2 || channels === 4
    if (channel === 3) return hasAlpha ? (data[place * channels + channels - 1] ?? most) / most : 1
    return (data[place * channels + (channels < 3 ? 0 : channel)] ?? 0) / most
  }
  return toPicture(width, height, sample)
}

function readJpeg(bytes: Uint8Array): ReadPicture {
  const size = pictureSize(bytes, 'image/jpeg') ?? { width: 0, height: 0 }
  refuseLarge(size.width, size.height)
  if (scansOf(bytes) * size.width * size.height > SCANNED_MAX * 1e6)
    throw new PictureError('it has too many scans. Save it again, not progressive')
  const { width, height, data } = decodeJpeg(bytes, {
    useTArray: true,
    maxResolutionInMP: MEGAPIXELS_MAX,
    maxMemoryUsageInMB: 1024,
  })
  return toPicture(width, height, (place, channel) => (data[place * 4 + channel] ?? 0) / 255)
}

/** How often a JPEG goes over its pixels: each scan begins with a mark, which stands nowhere in packed data. */
function scansOf(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(MARK); at >= 0; at = bytes.indexOf(MARK, at + 1)) if (bytes[at + 1] === SCAN) count += 1
  return count
}

function refuseLarge(width: number, height: number): void {
  if (width * height > MEGAPIXELS_MAX * 1e6)
    throw new PictureError(
      `it has ${width} x ${height} pixels, and the limit is ${MEGAPIXELS_MAX} million. Scale it down`,
    )
}

/** A mask is 1 where the picture is transparent, as the field's servers have it. */
function toPicture(width: number, height: number, sample: (place: number, channel: number) => number): ReadPicture {
  const pixels = new Float32Array(width * height * 3)
  const values = new Float32Array(width * height)
  for (let place = 0; place < width * height; place += 1) {
    for (let channel = 0; channel < 3; channel += 1) pixels[place * 3 + channel] = sample(place, channel)
    values[place] = 1 - sample(place, 3)
  }
  return { raster: { width, height, pixels }, mask: { width, height, values } }
}
