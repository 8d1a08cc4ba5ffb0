/** PNG chunks tEXt, zTXt, iTXt, and `comf` of animated ones. Source: docs/spec/comfyui.md, 4; the PNG specification. */
import {
  type ByteTools,
  cutAtZero,
  joined,
  latin1,
  PARTS_MAX,
  type PictureText,
  TEXT_MAX_BYTES,
  TEXTS_MAX,
  viewOf,
} from './bytes.ts'

const SIGNATURE = [137, 80, 78, 71, 13, 10, 26, 10]
const LENGTH_AND_TYPE = 8
const CHECKSUM = 4

const isPng = (bytes: Uint8Array): boolean => SIGNATURE.every((value, at) => bytes[at] === value)

type Chunk = { readonly type: string; readonly data: Uint8Array; readonly start: number; readonly end: number }

// Cost of a damaged or oversized text: finding that out may take as long as unpacking it.
const VAIN_BYTES = TEXT_MAX_BYTES / 8

/** Returns texts in file order, also of a truncated picture; all inflated texts share the limit of one. */
export function readPngTexts(bytes: Uint8Array, { utf8, inflate }: ByteTools): readonly PictureText[] {
  if (!isPng(bytes)) return []
  let left = TEXT_MAX_BYTES
  const bounded: ByteTools = {
    utf8,
    inflate(packed, most) {
      const unpacked = left > 0 ? inflate(packed, Math.min(most, left)) : undefined
      left -= unpacked?.length ?? VAIN_BYTES
      return unpacked
    },
  }
  return chunksOf(bytes)
    .filter(({ type }) => Object.hasOwn(READERS, type))
    .slice(0, TEXTS_MAX)
    .flatMap(({ type, data }) => READERS[type]?.(data, bounded) ?? [])
}

/**
 * @param encoded keyword and text in UTF-8; keywords of 1 to 79 ASCII characters
 * @returns undefined for an incomplete picture or too many chunks
 */
export function withPngTexts(
  bytes: Uint8Array,
  encoded: readonly { readonly keyword: string; readonly text: Uint8Array }[],
): Uint8Array | undefined {
  const chunks = isPng(bytes) ? chunksOf(bytes) : []
  const [head] = chunks
  if (head?.type !== 'IHDR' || chunks.at(-1)?.type !== 'IEND') return undefined
  const replaced = new Set(encoded.map(({ keyword }) => keyword))
  const remaining = chunks.filter(
    ({ type, data }) => !(TEXT_TYPES.has(type) && replaced.has(keywordOf(cutAtZero(data)[0]))),
  )
  const [first, ...rest] = remaining.map(({ start, end }) => bytes.subarray(start, end))
  const texts = encoded.map(({ keyword, text }) => textChunk(keyword, text))
  return joined([bytes.subarray(0, SIGNATURE.length), first ?? new Uint8Array(), ...texts, ...rest])
}

const TEXT_TYPES = new Set(['tEXt', 'zTXt', 'iTXt'])

function chunksOf(bytes: Uint8Array): readonly Chunk[] {
  const view = viewOf(bytes)
  const chunks: Chunk[] = []
  let start = SIGNATURE.length
  while (start + LENGTH_AND_TYPE <= bytes.length && chunks.length < PARTS_MAX) {
    const dataAt = start + LENGTH_AND_TYPE
    const dataEnd = dataAt + view.getUint32(start)
    const end = dataEnd + CHECKSUM
    if (end > bytes.length) break
    chunks.push({ type: latin1(bytes.subarray(start + 4, dataAt)), data: bytes.subarray(dataAt, dataEnd), start, end })
    start = end
  }
  return chunks
}

// Limit of the specification, in bytes; longer ones are no keywords.
const KEYWORD_MAX = 79
const keywordOf = (bytes: Uint8Array): string => latin1(bytes.subarray(0, KEYWORD_MAX + 1))

const READERS: Readonly<Record<string, (data: Uint8Array, tools: ByteTools) => PictureText | undefined>> = {
  tEXt: (data, { utf8 }) => plainText(data, utf8),
  comf: (data, { utf8 }) => plainText(data, utf8),
  zTXt(data, { utf8, inflate }) {
    const [keyword, rest] = cutAtZero(data)
    const unpacked = rest && inflate(rest.subarray(1), TEXT_MAX_BYTES)
    return unpacked && { keyword: keywordOf(keyword), text: utf8(unpacked) }
  },
  iTXt(data, { utf8, inflate }) {
    const [keyword, flags] = cutAtZero(data)
    const [, translated] = flags === undefined ? [] : cutAtZero(flags.subarray(2))
    const [, text] = translated === undefined ? [] : cutAtZero(translated)
    const unpacked = text && (flags?.[0] === 1 ? inflate(text, TEXT_MAX_BYTES) : text)
    return unpacked && { keyword: keywordOf(keyword), text: utf8(unpacked) }
  },
}

// Latin-1 by the specification; writers of graphs use ASCII, or UTF-8 regardless.
function plainText(data: Uint8Array, utf8: ByteTools['utf8']): PictureText | undefined {
  const [keyword, text] = cutAtZero(data)
  return text && { keyword: keywordOf(keyword), text: utf8(text) }
}

/** An uncompressed iTXt chunk: keyword, two flags, language, translated keyword, text. */
function textChunk(keyword: string, text: Uint8Array): Uint8Array {
  const name = Uint8Array.from(keyword, (sign) => sign.charCodeAt(0))
  const head = Uint8Array.from('iTXt', (sign) => sign.charCodeAt(0))
  const data = joined([name, new Uint8Array(5), text])
  const checked = joined([head, data])
  return joined([uint32(data.length), checked, uint32(crc32(checked))])
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  viewOf(bytes).setUint32(0, value)
  return bytes
}

/** The graph of a picture as JSON texts; a missing one is neither written nor removed. */
type GraphTexts = { readonly workflow?: string; readonly prompt?: string }

/**
 * Embeds document and payload in the format of common editors.
 * @returns undefined if it is no complete PNG
 */
export function writeGraphIntoPng(
  bytes: Uint8Array,
  { workflow, prompt }: GraphTexts,
  encode: (text: string) => Uint8Array,
): Uint8Array | undefined {
  const texts = [
    ...(prompt === undefined ? [] : [{ keyword: 'prompt', text: encode(prompt) }]),
    ...(workflow === undefined ? [] : [{ keyword: 'workflow', text: encode(workflow) }]),
  ]
  return withPngTexts(bytes, texts)
}

// CRC polynomial. Source: PNG specification, annex D.
const POLYNOMIAL = 0xedb88320

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1
  return value
})

export function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff
  for (const byte of bytes) value = (TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8)
  return (value ^ 0xffffffff) >>> 0
}
