/** File types and picture sizes by content, because names and headers may lie. Source: the formats' specifications. */

export const UNKNOWN_MEDIA = 'application/octet-stream'

const SIGNATURES: readonly { readonly type: string; readonly parts: readonly (readonly [number, string])[] }[] = [
  { type: 'image/png', parts: [[0, '\x89PNG\r\n\x1a\n']] },
  { type: 'image/jpeg', parts: [[0, '\xff\xd8\xff']] },
  { type: 'image/gif', parts: [[0, 'GIF8']] },
  {
    type: 'image/webp',
    parts: [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
  },
  { type: 'image/avif', parts: [[4, 'ftypavi']] },
  {
    type: 'audio/wav',
    parts: [
      [0, 'RIFF'],
      [8, 'WAVE'],
    ],
  },
  { type: 'audio/flac', parts: [[0, 'fLaC']] },
  { type: 'audio/ogg', parts: [[0, 'OggS']] },
  { type: 'audio/mpeg', parts: [[0, 'ID3']] },
  { type: 'video/quicktime', parts: [[4, 'ftypqt  ']] },
  { type: 'video/mp4', parts: [[4, 'ftyp']] },
  { type: 'model/gltf-binary', parts: [[0, 'glTF']] },
]

// Matroska files begin like WebM; the head tells them apart.
const EBML = '\x1aE\xdf\xa3'
const HEAD_BYTES = 64
const TEXT_BYTES = 4096

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/svg+xml': 'svg',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/matroska': 'mkv',
  'video/quicktime': 'mov',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/flac': 'flac',
  'audio/wav': 'wav',
  'model/gltf-binary': 'glb',
  'text/plain': 'txt',
}

export function mediaTypeOf(bytes: Uint8Array): string {
  const head = signs(bytes, 0, HEAD_BYTES)
  const known = SIGNATURES.find(({ parts }) => parts.every(([at, mark]) => head.startsWith(mark, at)))
  if (known !== undefined) return known.type
  if (head.startsWith(EBML))
    return head.includes('webm') ? 'video/webm' : head.includes('matroska') ? 'video/matroska' : UNKNOWN_MEDIA
  if (isMpegFrame(bytes)) return 'audio/mpeg'
  return textType(bytes)
}

/** Whether a browser may display it: media without scripts. */
export function isShown(mediaType: string): boolean {
  return /^(image|video|audio)\//.test(mediaType) && mediaType !== 'image/svg+xml'
}

export const isShownName = (name: string): boolean => isShown(mediaTypeOfName(name))

export function mediaTypeOfName(name: string): string {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  const known = ending === 'jpeg' ? 'jpg' : ending
  return Object.entries(EXTENSIONS).find(([, one]) => one === known)?.[0] ?? UNKNOWN_MEDIA
}

export const extensionOf = (mediaType: string): string => EXTENSIONS[mediaType] ?? 'bin'

// The sync word, with a valid layer, rate and frequency.
function isMpegFrame([first = 0, second = 0, third = 0]: Uint8Array): boolean {
  return first === 0xff && (second & 0xe6) === 0xe2 && (third & 0xf0) !== 0xf0 && (third & 0x0c) !== 0x0c
}

function textType(bytes: Uint8Array): string {
  const part = bytes.subarray(0, TEXT_BYTES)
  if (part.length === 0 || part.some(isControl)) return UNKNOWN_MEDIA
  return isDrawing(signs(part, 0, TEXT_BYTES)) ? 'image/svg+xml' : 'text/plain'
}

// Separate patterns: repeated groups of comments in one pattern would backtrack exponentially.
const BEFORE_DRAWING = [/^\s*(?:\xef\xbb\xbf)?/, /^<\?xml[^>]*>\s*/i]
const MAY_REPEAT = [/^<!--[\s\S]*?-->\s*/, /^<!DOCTYPE[^>]*>\s*/i]

function isDrawing(text: string): boolean {
  let rest = BEFORE_DRAWING.reduce((before, pattern) => before.replace(pattern, ''), text)
  for (;;) {
    const next = MAY_REPEAT.reduce((before, pattern) => before.replace(pattern, ''), rest)
    if (next === rest) return /^<svg[\s>]/i.test(rest)
    rest = next
  }
}

const TAB = 9
const RETURN = 13
const SPACE = 32
const DELETE = 127
const isControl = (value: number) => value === DELETE || (value < SPACE && (value < TAB || value > RETURN))

function signs(bytes: Uint8Array, from: number, count: number): string {
  return String.fromCharCode(...bytes.subarray(from, from + count))
}

// Reads sizes only from headers, so that a decompression bomb costs nothing.

type PictureSize = { readonly width: number; readonly height: number }

// JPEG sizes come after texts and thumbnails of 64 KiB each.
const SEGMENTS_MAX = 200
const AVIF_HEAD_BYTES = 4096
const SIDE_MAX = 2 ** 31

/** Undefined for an unknown picture, or one truncated before its size. */
export function pictureSize(bytes: Uint8Array, mediaType: string): PictureSize | undefined {
  const size = READERS[mediaType]?.(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (size === undefined) return undefined
  const isReal = [size.width, size.height].every((side) => side > 0 && side < SIDE_MAX)
  return isReal ? size : undefined
}

type Reader = (bytes: Uint8Array, view: DataView) => PictureSize | undefined

const READERS: Readonly<Record<string, Reader>> = {
  'image/png': (bytes, view) =>
    bytes.length < 24 ? undefined : { width: view.getUint32(16), height: view.getUint32(20) },
  'image/gif': (bytes, view) =>
    bytes.length < 10 ? undefined : { width: view.getUint16(6, true), height: view.getUint16(8, true) },
  'image/jpeg': jpegSize,
  'image/webp': webpSize,
  'image/avif': avifSize,
}

function jpegSize(bytes: Uint8Array, view: DataView): PictureSize | undefined {
  let at = 2
  for (let segment = 0; segment < SEGMENTS_MAX && at + 9 <= bytes.length; segment++) {
    if (bytes[at] !== 0xff) return undefined
    const kind = bytes[at + 1] ?? 0
    if (kind === 0xff) at += 1
    else if (isFrame(kind)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    else at += 2 + view.getUint16(at + 2)
  }
  return undefined
}

// Start-of-frame markers of any coding; C4, C8 and CC are tables.
const isFrame = (kind: number) => kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind)

function webpSize(bytes: Uint8Array, view: DataView): PictureSize | undefined {
  if (bytes.length < 30) return undefined
  const kind = String.fromCharCode(...bytes.subarray(12, 16))
  if (kind === 'VP8X') return { width: 1 + uint24(view, 24), height: 1 + uint24(view, 27) }
  if (kind === 'VP8 ') return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  if (kind !== 'VP8L') return undefined
  const packed = view.getUint32(21, true)
  return { width: 1 + (packed & 0x3fff), height: 1 + ((packed >>> 14) & 0x3fff) }
}

const uint24 = (view: DataView, at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 65_536

function avifSize(bytes: Uint8Array, view: DataView): PictureSize | undefined {
  const end = Math.min(bytes.length, AVIF_HEAD_BYTES) - 16
  for (let at = 0; at < end; at++)
    if (view.getUint32(at) === 0x69737065) return { width: view.getUint32(at + 8), height: view.getUint32(at + 12) }
  return undefined
}
