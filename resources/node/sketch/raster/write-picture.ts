/** Pictures as files: PNG for results, small JPEG for previews. */
import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import { encode } from 'jpeg-js'
import { withPngTexts } from '../../../../src-main/domain/workflow/metadata/png.ts'
import { eachRow } from '../turns.ts'
import { CHANNELS, type Raster } from '../values.ts'
import { resample } from './resample.ts'

const pack = promisify(deflate)
const SIGNATURE = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10)
// Of the PNG specification: 8 bits a sample, red, green and blue.
const [DEPTH, RGB] = [8, 2]
// Longest side of a preview, in pixels, and its quality of 100. Source: ours; about 8 kB.
const PREVIEW_SIDE = 256
const PREVIEW_QUALITY = 72

/** A PNG file with texts in it. Packing is done beside the event loop. @throws what the signal was aborted with */
export async function writePng(
  { width, height, pixels }: Raster,
  texts: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const line = width * 3
  const rows = Buffer.alloc((line + 1) * height)
  const writeRow = (row: number) => {
    // Each value as the difference from the one to its left: that packs better.
    const at = row * (line + 1)
    rows[at] = 1
    for (let place = 0; place < line; place += 1) {
      const value = byteOf(pixels[row * line + place])
      rows[at + 1 + place] = value - (place < 3 ? 0 : byteOf(pixels[row * line + place - 3]))
    }
  }
  await eachRow(height, writeRow, signal)
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([DEPTH, RGB, 0, 0, 0], 8)
  const file = Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('IDAT', await pack(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
  const encoded = Object.entries(texts).map(([keyword, text]) => ({ keyword, text: Buffer.from(text) }))
  return withPngTexts(file, encoded) ?? file
}

const byteOf = (value = 0) => Math.round(Math.min(1, Math.max(0, value)) * 255)

function chunk(type: string, data: Buffer): Buffer {
  const checked = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(checked))
  return Buffer.concat([length, checked, checksum])
}

/** Cells of a latent as the data URI of a small picture. */
export function previewOf(cells: Float32Array, width: number, height: number): string {
  const scale = PREVIEW_SIDE / Math.max(width, height)
  const size = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))] as const
  const { values } = resample({ width, height, channels: CHANNELS, values: cells }, ...size, 'bilinear')
  return jpegUri(...size, (place, channel) => ((values[place * CHANNELS + channel] ?? 0) + 1) / 2)
}

/** A picture as the data URI of a small one. */
export function thumbnailOf({ width, height, pixels }: Raster): string {
  const scale = Math.min(1, PREVIEW_SIDE / Math.max(width, height))
  const size = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))] as const
  const { values } = resample({ width, height, channels: 3, values: pixels }, ...size, 'area')
  return jpegUri(...size, (place, channel) => values[place * 3 + channel] ?? 0)
}

function jpegUri(width: number, height: number, value: (place: number, channel: number) => number): string {
  const data = Buffer.alloc(width * height * 4, 255)
  for (let place = 0; place < width * height; place += 1)
    for (let channel = 0; channel < 3; channel += 1) data[place * 4 + channel] = byteOf(value(place, channel))
  return `data:image/jpeg;base64,${encode({ width, height, data }, PREVIEW_QUALITY).data.toString('base64')}`
}
