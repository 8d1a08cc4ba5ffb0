/** Random whole numbers over a whole range, like that of seeds: 0 to 2^64-1. */

/** Fills bytes with chance. */
export type FillRandom = (bytes: Uint8Array<ArrayBuffer>) => void

const BYTE = 8n

/** A number of the range, both ends included, each as likely as another. */
export function randomWhole([least, most]: readonly [bigint, bigint], fill: FillRandom): bigint {
  const span = most - least + 1n
  // 64 bits more than the range has: what the remainder favours is beyond notice.
  const bytes = new Uint8Array(Number((BigInt(span.toString(2).length) + BYTE - 1n) / BYTE) + 8)
  fill(bytes)
  const number = bytes.reduce((sum, byte) => (sum << BYTE) | BigInt(byte), 0n)
  return least + (number % span)
}
