import { randomFillSync } from 'node:crypto'
import { randomWhole as wholeOf } from '../../domain/workflow/settle/random-whole.ts'

/** A whole number of a range, both ends included, by the chance of this machine. */
export const randomWhole = (least: bigint, most: bigint): bigint =>
  wholeOf([least, most], (bytes) => void randomFillSync(bytes))
