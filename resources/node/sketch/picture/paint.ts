/** Paints scenes into pixels, and lets other work go on in between. */
import { eachRow } from '../turns.ts'
import type { Rgb } from './colour.ts'
import type { Layer } from './stage.ts'

/** Paints at once: for small pictures. */
export function paintSmall(layer: Layer, width: number, height: number): Float32Array {
  const pixels = new Float32Array(width * height * 3)
  for (let row = 0; row < height; row += 1) paintRow(layer, pixels, row, { width, height })
  return pixels
}

/** Paints row by row. @throws what the signal was aborted with */
export async function paint(layer: Layer, width: number, height: number, signal: AbortSignal): Promise<Float32Array> {
  const pixels = new Float32Array(width * height * 3)
  await eachRow(height, (row) => paintRow(layer, pixels, row, { width, height }), signal)
  return pixels
}

function paintRow(
  layer: Layer,
  pixels: Float32Array,
  row: number,
  { width, height }: { readonly width: number; readonly height: number },
): void {
  const pixel: Rgb = [0, 0, 0]
  const v = (row + 0.5) / height
  let place = row * width * 3
  for (let column = 0; column < width; column += 1) {
    layer(pixel, (column + 0.5) / height, v)
    pixels[place] = clamp(pixel[0])
    pixels[place + 1] = clamp(pixel[1])
    pixels[place + 2] = clamp(pixel[2])
    place += 3
  }
}

const clamp = (value: number) => Math.min(1, Math.max(0, value))
