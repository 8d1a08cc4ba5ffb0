/** Between cells and pixels, as the encoder and the decoder of a model do it. */
import { enlarge } from '../raster/resample.ts'
import { eachRow } from '../turns.ts'
import { CELL, CHANNELS, type Latent, type LatentItem, type Raster } from '../values.ts'
import { rasterKnown } from './known.ts'

// Details that are pulled too far, by a high cfg, stop here.
const DETAIL_MAX = 1.5

/** The pictures of a latent: the colours of its cells, with the details of what it shows. */
export async function decode({ width, height, items }: Latent, signal: AbortSignal): Promise<readonly Raster[]> {
  const rasters: Raster[] = []
  for (const item of items) rasters.push(await decodeOne(item, width, height, signal))
  return rasters
}

async function decodeOne(item: LatentItem, width: number, height: number, signal: AbortSignal): Promise<Raster> {
  const [toWidth, toHeight] = [width * CELL, height * CELL]
  const painted = await item.known?.paint(toWidth, toHeight, signal)
  const sized = (values: Float32Array) =>
    enlarge({ width, height, channels: CHANNELS, values }, toWidth, toHeight, signal)
  const cells = await sized(item.cells)
  const shown = item.known && (await sized(item.known.cells(width, height)))
  const pixels = new Float32Array(toWidth * toHeight * 3)
  const developRow = (row: number) => {
    for (let place = row * toWidth; place < (row + 1) * toWidth; place += 1) {
      const detail = Math.min(DETAIL_MAX, Math.max(0, cells[place * CHANNELS + 3] as number))
      for (let channel = 0; channel < 3; channel += 1) {
        const at = place * CHANNELS + channel
        const colour = ((cells[at] as number) + 1) / 2
        // What the cells of the picture leave out of it.
        const rest = painted && shown ? (painted[place * 3 + channel] as number) - ((shown[at] as number) + 1) / 2 : 0
        pixels[place * 3 + channel] = Math.min(1, Math.max(0, colour + detail * rest))
      }
    }
  }
  await eachRow(toHeight, developRow, signal)
  return { width: toWidth, height: toHeight, pixels }
}

/** Pictures as a latent; sides are cut to whole cells. */
export function encode(rasters: readonly Raster[], mask: Float32Array | undefined): Latent {
  const [first = { width: CELL, height: CELL, pixels: new Float32Array(CELL * CELL * 3) }] = rasters
  const [width, height] = [Math.max(1, Math.floor(first.width / CELL)), Math.max(1, Math.floor(first.height / CELL))]
  const items = rasters.map((raster) => {
    const known = rasterKnown(raster)
    return { cells: known.cells(width, height), known, layout: undefined }
  })
  return { width, height, items, mask }
}

/** A latent without a picture. @param width in cells */
export function emptyLatent(width: number, height: number, count: number): Latent {
  const item = (): LatentItem => ({
    cells: new Float32Array(width * height * CHANNELS),
    known: undefined,
    layout: undefined,
  })
  return { width, height, items: Array.from({ length: count }, item), mask: undefined }
}
