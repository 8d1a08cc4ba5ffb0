/**
 * A PNG with what its picture needs and no more: the decoder behind it unpacks whatever a file holds, however large,
 * and takes the last of several heads.
 */
import { inflateSync } from 'node:zlib'

const SIGNATURE_BYTES = 8
const HEAD = 'IHDR'
const HEAD_BYTES = 13
// A chunk: its length, its type, what is in it, its checksum.
const AROUND_BYTES = 12
const KEPT = new Set([HEAD, 'PLTE', 'tRNS', 'IDAT', 'IEND'])
// Samples of a pixel, by the number of its kind of colour.
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/**
 * Leaves out what is not the picture.
 * @returns undefined where the picture has more than one head, or unpacks to more than its head says
 */
export function plainPng(bytes: Uint8Array): Uint8Array | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const kept: Uint8Array[] = [bytes.subarray(0, SIGNATURE_BYTES)]
  const packed: Uint8Array[] = []
  for (let at = SIGNATURE_BYTES; at + AROUND_BYTES <= bytes.length; ) {
    const length = view.getUint32(at)
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
    const isFirst = at === SIGNATURE_BYTES
    if ((type === HEAD) !== isFirst || (isFirst && length !== HEAD_BYTES)) return undefined
    const end = at + AROUND_BYTES + length
    if (KEPT.has(type)) kept.push(bytes.subarray(at, end))
    if (type === 'IDAT') packed.push(bytes.subarray(at + 8, end - 4))
    at = end
  }
  // Rows of the passes of an interlaced picture take up to twice as much.
  inflateSync(Buffer.concat(packed), { maxOutputLength: 2 * rowsBytes(view) + 1024 })
  return Buffer.concat(kept)
}

/** What the rows of a picture take, each with the byte of its filter. */
function rowsBytes(view: DataView): number {
  const [width, height] = [view.getUint32(16), view.getUint32(20)]
  const bits = view.getUint8(24) * (SAMPLES[view.getUint8(25)] ?? 4)
  return height * (1 + Math.ceil((width * bits) / 8))
}
