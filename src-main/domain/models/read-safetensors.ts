/**
 * The head of a safetensors file: the length of its JSON in 8 bytes, then names, types, shapes and places of tensors.
 * Files come from anywhere, so each claim is checked against the size of the file before it is believed. Source: the
 * format's own description.
 */

/** A tensor as its head tells. */
export type Tensor = { readonly name: string; readonly type: string; readonly shape: readonly number[] }

/** A head that was read. */
export type TensorFile = {
  readonly tensors: readonly Tensor[]
  readonly metadata: Readonly<Record<string, string>>
}

/** Why a file is not what its name says, as the end of a sentence. */
export type HeadFault = { readonly fault: string }

/** Where the JSON begins. */
export const LENGTH_BYTES = 8
/** The longest head that is read: ten times that of the largest model seen. One of this size is read in some 50 ms. */
export const HEAD_BYTES_MAX = 8 * 1024 * 1024

const BITS: Readonly<Record<string, number>> = {
  ...{ F64: 64, I64: 64, U64: 64, C64: 64, F32: 32, I32: 32, U32: 32, F16: 16, BF16: 16, I16: 16, U16: 16 },
  ...{ F8_E4M3: 8, F8_E5M2: 8, F8_E8M0: 8, F8_E4M3FNUZ: 8, F8_E5M2FNUZ: 8, I8: 8, U8: 8, BOOL: 8 },
  ...{ F6_E2M3: 6, F6_E3M2: 6, F4: 4 },
}

/**
 * How long the JSON is.
 * @param start at least the first 8 bytes @param fileBytes size of the file
 */
export function headLength(start: Uint8Array, fileBytes: number): number | HeadFault {
  if (fileBytes < LENGTH_BYTES || start.length < LENGTH_BYTES) return { fault: 'it is too short to be one' }
  const long = new DataView(start.buffer, start.byteOffset, LENGTH_BYTES).getBigUint64(0, true)
  if (long > BigInt(fileBytes - LENGTH_BYTES))
    return { fault: 'its head is longer than the file: it is cut off, or no safetensors file' }
  if (long > BigInt(HEAD_BYTES_MAX)) return { fault: `its head is longer than ${HEAD_BYTES_MAX / 1024 / 1024} MiB` }
  return Number(long)
}

/**
 * Reads the JSON.
 * @param json its text; undefined: its bytes are none @param dataBytes what follows it
 */
export function readTensors(json: string | undefined, dataBytes: number): TensorFile | HeadFault {
  const parsed = parse(json)
  if (parsed === undefined) return { fault: 'its head is not JSON' }
  const metadata: Record<string, string> = {}
  const tensors: Tensor[] = []
  let end = 0
  for (const [name, value] of Object.entries(parsed)) {
    if (!isRecord(value)) return { fault: `${shown(name)} is not described` }
    if (name === '__metadata__') {
      for (const [key, text] of Object.entries(value)) if (typeof text === 'string') metadata[key] = text
      continue
    }
    const tensor = readTensor(name, value, dataBytes)
    if ('fault' in tensor) return tensor
    tensors.push(tensor.tensor)
    end = Math.max(end, tensor.end)
  }
  if (end < dataBytes) return { fault: `${dataBytes - end} bytes at its end belong to no tensor` }
  return { tensors, metadata }
}

function readTensor(
  name: string,
  { dtype, shape, data_offsets: offsets }: Readonly<Record<string, unknown>>,
  dataBytes: number,
): { readonly tensor: Tensor; readonly end: number } | HeadFault {
  const isWhole = (one: unknown): one is number => Number.isSafeInteger(one) && (one as number) >= 0
  if (typeof dtype !== 'string' || !Array.isArray(shape) || !shape.every(isWhole) || shape.length > 16)
    return { fault: `the tensor ${shown(name)} has no type or shape` }
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isWhole))
    return { fault: `the tensor ${shown(name)} has no place` }
  const [begin = 0, end = 0] = offsets as number[]
  if (begin > end || end > dataBytes)
    return { fault: `the tensor ${shown(name)} ends after the end of the file: the file is cut off or damaged` }
  const bits = BITS[dtype]
  const count = (shape as number[]).reduce((product, length) => product * length, 1)
  if (bits !== undefined && Math.ceil((count * bits) / 8) !== end - begin)
    return { fault: `the tensor ${shown(name)} is not as long as its shape says` }
  return { tensor: { name, type: dtype, shape: shape as number[] }, end }
}

function parse(json: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = json === undefined ? undefined : JSON.parse(json)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined // nested too deep as well
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const shown = (name: string) => (name.length > 80 ? `${name.slice(0, 80)}…` : name)
