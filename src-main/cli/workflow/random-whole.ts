import { randomBytes } from 'node:crypto'

const BYTES = 16

/** A whole number of a range, both ends included. Of 128 bits, so that what is left over of a range of 64 does not show. */
export function randomWhole(least: bigint, most: bigint): bigint {
  const range = most - least + 1n
  return least + (BigInt(`0x${randomBytes(BYTES).toString('hex')}`) % range)
}
