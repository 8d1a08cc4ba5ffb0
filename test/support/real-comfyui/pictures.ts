/** Pictures for graphs that load some, and what is seen in those that come back. */
import { type DecodedPng, decode, encode } from 'fast-png'

/** Size of each, in px: wide enough that what is painted on the right is not seen by the decoder on the left. */
const SIZE = { width: 256, height: 64 }

/** Columns, from the first one to the one before the last. */
export type Columns = readonly [first: number, end: number]

/** The columns that are masked. */
export const MASKED: Columns = [192, 256]

const isMasked = (x: number) => x >= MASKED[0] && x < MASKED[1]
const colour = (x: number, y: number) => [x, y * 4, 255 - x]
const FULL = 255

/** A picture without a mask. */
export const picture = (): Uint8Array => draw(3, colour)

/** Its mask as a picture: white where it is masked. */
export const mask = (): Uint8Array => draw(3, (x) => Array(3).fill(isMasked(x) ? FULL : 0))

/** The picture with its mask as its alpha, as our editor keeps it: colours stay below what is masked. */
export const maskedPicture = (): Uint8Array => draw(4, (x, y) => [...colour(x, y), isMasked(x) ? 0 : FULL])

function draw(channels: 3 | 4, pixelAt: (x: number, y: number) => readonly number[]): Uint8Array {
  const { width, height } = SIZE
  const pixels = Array.from({ length: width * height }, (_none, at) => pixelAt(at % width, Math.floor(at / width)))
  return encode({ width, height, channels, depth: 8, data: Uint8Array.from(pixels.flat()) })
}

/** How far two PNG pictures differ in some columns: on average, and at most, of 255. */
export function difference(one: Uint8Array, other: Uint8Array, [first, end]: Columns) {
  const [a, b] = [decode(one), decode(other)]
  const [before, after] = [coloursIn(a, first, end), coloursIn(b, first, end)]
  const differences = before.map((value, at) => Math.abs(value - (after[at] ?? Number.NaN)))
  return {
    mean: differences.reduce((sum, value) => sum + value, 0) / differences.length,
    most: Math.max(...differences),
  }
}

// Alpha is left out: servers drop it.
function coloursIn({ data, width, channels }: DecodedPng, first: number, end: number): readonly number[] {
  return [...data].filter((_value, at) => {
    const x = Math.floor(at / channels) % width
    return at % channels < 3 && x >= first && x < end
  })
}
