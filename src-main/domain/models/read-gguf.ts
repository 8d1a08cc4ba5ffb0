/**
 * The head of a GGUF file, as far as it is needed: architecture, name and precision stand among its first keys. Lengths
 * in it are claims; none is believed beyond the bytes that were read. Source: the format's own description.
 */
import type { ModelFacts } from '../../contract/models.ts'
import type { ByteTools } from '../workflow/metadata/bytes.ts'

/** Bytes of the beginning that are enough; vocabularies of text models come after what is looked for. */
export const GGUF_START_BYTES = 64 * 1024

const VERSIONS = [2, 3]
const STRING = 8
const ARRAY = 9
// Bytes of the other types of values, by their number.
const SIZES: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 }
const UINT32 = 4

// general.file_type, as the field's tools name them.
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

/** Reads the beginning. @param start the first bytes, up to GGUF_START_BYTES */
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
  if (start.length < 24) return 'it is too short to be one'
  if (!VERSIONS.includes(view.getUint32(4, true))) return `its version ${view.getUint32(4, true)} is not known`
  const keys = new Map<string, string | number>()
  const cursor = { at: 24 }
  const count = view.getBigUint64(16, true)
  // What does not fit into the bytes that were read is not looked at.
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
