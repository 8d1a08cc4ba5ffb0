/**
 * Headers of safetensors and GGUF. Files are untrusted: claims are checked against the file size. Source: the formats'
 * own descriptions.
 */

import type { ModelFacts } from '../../../contract/models.ts'
import { isRecord, plainJson } from '../../../lib/json/plain.ts'
import { scanJson } from '../../../lib/json/scan.ts'
import { keepStart } from '../../../lib/text.ts'
import { MIB } from '../../../lib/units.ts'
import type { ByteTools } from '../../workflows/rules/metadata/bytes.ts'

export type Tensor = { readonly name: string; readonly type: string; readonly shape: readonly number[] }

export type TensorFile = {
  readonly tensors: readonly Tensor[]
  readonly metadata: Readonly<Record<string, string>>
}

export type HeadProblem = { readonly fault: string }

export const LENGTH_BYTES = 8
/** Ten times the largest model seen; parsing one takes about 50 ms. */
export const HEAD_BYTES_MAX = 8 * MIB

const BITS: Readonly<Record<string, number>> = {
  ...{ F64: 64, I64: 64, U64: 64, C64: 64, F32: 32, I32: 32, U32: 32, F16: 16, BF16: 16, I16: 16, U16: 16 },
  ...{ F8_E4M3: 8, F8_E5M2: 8, F8_E8M0: 8, F8_E4M3FNUZ: 8, F8_E5M2FNUZ: 8, I8: 8, U8: 8, BOOL: 8 },
  ...{ F6_E2M3: 6, F6_E3M2: 6, F4: 4 },
}

/**
 * @param start at least the first 8 bytes
 * @param fileBytes size of the file
 */
export function headLength(start: Uint8Array, fileBytes: number): number | HeadProblem {
  if (fileBytes < LENGTH_BYTES || start.length < LENGTH_BYTES) return { fault: 'it is too short' }
  const long = new DataView(start.buffer, start.byteOffset, LENGTH_BYTES).getBigUint64(0, true)
  if (long > BigInt(fileBytes - LENGTH_BYTES))
    return { fault: 'its header is longer than the file: it is incomplete, or not a safetensors file' }
  if (long > BigInt(HEAD_BYTES_MAX)) return { fault: `its header is longer than ${HEAD_BYTES_MAX / 1024 / 1024} MiB` }
  return Number(long)
}

/**
 * Parses the header.
 * @param json undefined if not UTF-8
 * @param dataBytes bytes after the header
 */
export function readTensors(json: string | undefined, dataBytes: number): TensorFile | HeadProblem {
  if (json !== undefined && holdsMuch(json)) return { fault: 'its header holds more than those of models' }
  const parsed = parse(json)
  if (parsed === undefined) return { fault: 'its header is not JSON' }
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

// About ten times the largest model seen; crafted headers with millions of keys parse for half a second.
const [KEYS_MAX, VALUES_MAX, DEPTH_MAX] = [200_000, 500_000, 100]

function holdsMuch(json: string): boolean {
  const scan = scanJson(json, { maxKeys: KEYS_MAX, maxDepth: DEPTH_MAX })
  return typeof scan === 'string' || scan.values > VALUES_MAX
}

function readTensor(
  name: string,
  { dtype, shape, data_offsets: offsets }: Readonly<Record<string, unknown>>,
  dataBytes: number,
): { readonly tensor: Tensor; readonly end: number } | HeadProblem {
  const isWhole = (one: unknown): one is number => Number.isSafeInteger(one) && (one as number) >= 0
  if (typeof dtype !== 'string' || !Array.isArray(shape) || !shape.every(isWhole) || shape.length > 16)
    return { fault: `the tensor ${shown(name)} has no type or shape` }
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isWhole))
    return { fault: `the tensor ${shown(name)} has no offset` }
  const [begin = 0, end = 0] = offsets as number[]
  if (begin > end || end > dataBytes)
    return { fault: `the tensor ${shown(name)} ends after the end of the file: the file is incomplete or damaged` }
  const bits = BITS[dtype]
  const count = (shape as number[]).reduce((product, length) => product * length, 1)
  if (bits !== undefined && Math.ceil((count * bits) / 8) !== end - begin)
    return { fault: `the tensor ${shown(name)} is not as long as its shape says` }
  return { tensor: { name, type: dtype, shape: shape as number[] }, end }
}

function parse(json: string | undefined): Readonly<Record<string, unknown>> | undefined {
  const value = json === undefined ? undefined : plainJson(json)
  return isRecord(value) ? value : undefined
}

const shown = (name: string) => keepStart(name, 80)

// Reads only architecture, name and precision, which are among the first GGUF keys.

/** Enough for the keys of interest; vocabularies come later. */
export const GGUF_START_BYTES = 64 * 1024

const VERSIONS = [2, 3]
const STRING = 8
const ARRAY = 9
const SIZES: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 }
const UINT32 = 4

const PRECISIONS: Readonly<Record<number, string>> = {
  ...{ 0: 'F32', 1: 'F16', 2: 'Q4_0', 3: 'Q4_1', 7: 'Q8_0', 8: 'Q5_0', 9: 'Q5_1', 10: 'Q2_K', 11: 'Q3_K_S' },
  ...{ 12: 'Q3_K_M', 13: 'Q3_K_L', 14: 'Q4_K_S', 15: 'Q4_K_M', 16: 'Q5_K_S', 17: 'Q5_K_M', 18: 'Q6_K', 32: 'BF16' },
}

const ARCHITECTURES: Readonly<Record<string, string>> = {
  ...{ flux: 'FLUX.1', sd1: 'Stable Diffusion 1.5', sdxl: 'SDXL', sd3: 'Stable Diffusion 3', aura: 'AuraFlow' },
  ...{ ltxv: 'LTX-Video', hyvid: 'HunyuanVideo', wan: 'Wan', hidream: 'HiDream', cosmos: 'Cosmos' },
  ...{ qwen_image: 'Qwen-Image', lumina2: 'Lumina 2' },
}
const TEXT_ENCODERS: Readonly<Record<string, string>> = {
  t5: 'T5',
  t5encoder: 'T5',
  llama: 'Llama',
  qwen2vl: 'Qwen2-VL',
  gemma2: 'Gemma 2',
}

export function readGguf(start: Uint8Array, utf8: ByteTools['utf8']): ModelFacts {
  const keys = readKeys(start, utf8)
  if (typeof keys === 'string') return { format: 'gguf', fault: keys }
  const name = keys.get('general.architecture')
  const title = keys.get('general.name')
  const precision = PRECISIONS[Number(keys.get('general.file_type') ?? -1)]
  const common = {
    format: 'gguf' as const,
    ...(typeof title === 'string' && title !== '' ? { title: title.slice(0, 200) } : {}),
    ...(precision === undefined ? {} : { precision }),
  }
  if (typeof name !== 'string') return common
  const encoder = TEXT_ENCODERS[name]
  if (encoder !== undefined) return { ...common, kind: 'text encoder', architecture: encoder }
  const architecture = ARCHITECTURES[name]
  if (architecture === undefined) return { ...common, architecture: name.slice(0, 60) }
  return { ...common, kind: 'diffusion model', architecture }
}

function readKeys(start: Uint8Array, utf8: ByteTools['utf8']): ReadonlyMap<string, string | number> | string {
  const view = new DataView(start.buffer, start.byteOffset, start.length)
  if (start.length < 24) return 'it is too short'
  if (!VERSIONS.includes(view.getUint32(4, true))) return `its version ${view.getUint32(4, true)} is not known`
  const keys = new Map<string, string | number>()
  const cursor = { at: 24 }
  const count = view.getBigUint64(16, true)
  for (let index = 0n; index < count; index += 1n) {
    const key = readText(view, cursor, utf8)
    if (key === undefined || cursor.at + 4 > view.byteLength) break
    const type = view.getUint32(cursor.at, true)
    cursor.at += 4
    if (type === STRING) {
      const text = readText(view, cursor, utf8)
      if (text === undefined) break
      keys.set(key, text)
      continue
    }
    const size = SIZES[type]
    if (type === ARRAY || size === undefined || cursor.at + size > view.byteLength) break
    if (type === UINT32) keys.set(key, view.getUint32(cursor.at, true))
    cursor.at += size
  }
  return keys
}

function readText(view: DataView, cursor: { at: number }, utf8: ByteTools['utf8']): string | undefined {
  if (cursor.at + 8 > view.byteLength) return undefined
  const long = view.getBigUint64(cursor.at, true)
  if (long > BigInt(view.byteLength - cursor.at - 8)) return undefined
  const begin = cursor.at + 8
  cursor.at = begin + Number(long)
  return utf8(new Uint8Array(view.buffer, view.byteOffset + begin, Number(long)))
}
