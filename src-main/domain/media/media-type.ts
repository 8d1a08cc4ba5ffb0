/** What a file is, by its first bytes: names and headers may say anything. Source: the formats' specifications. */

const UNKNOWN = 'application/octet-stream'

// Each: bytes at a place. Only what is shown or told apart here is in it.
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

// Films and sounds of Matroska begin as WebM does; what it is stands in the head.
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
  'video/quicktime': 'mov',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/flac': 'flac',
  'audio/wav': 'wav',
  'model/gltf-binary': 'glb',
  'text/plain': 'txt',
}

/** The media type of a file; application/octet-stream where nobody knows it. */
export function mediaTypeOf(bytes: Uint8Array): string {
  const head = signs(bytes, 0, HEAD_BYTES)
  const known = SIGNATURES.find(({ parts }) => parts.every(([at, mark]) => head.startsWith(mark, at)))
  if (known !== undefined) return known.type
  if (head.startsWith(EBML)) return head.includes('webm') ? 'video/webm' : UNKNOWN
  if (isMpegFrame(bytes)) return 'audio/mpeg'
  return textType(bytes)
}

/** Whether a browser may show it as what it is: a picture, a film or a sound without any script in it. */
export function isShown(mediaType: string): boolean {
  return /^(image|video|audio)\//.test(mediaType) && mediaType !== 'image/svg+xml'
}

/** Whether the name of a file says that it is a picture, a film or a sound. */
export function isShownName(name: string): boolean {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return ending === 'jpeg' || Object.entries(EXTENSIONS).some(([type, one]) => one === ending && isShown(type))
}

/** The ending of a file name, without its dot. */
export const extensionOf = (mediaType: string): string => EXTENSIONS[mediaType] ?? 'bin'

// The sync word, with a layer, a rate and a frequency that exist.
function isMpegFrame([first = 0, second = 0, third = 0]: Uint8Array): boolean {
  return first === 0xff && (second & 0xe6) === 0xe2 && (third & 0xf0) !== 0xf0 && (third & 0x0c) !== 0x0c
}

function textType(bytes: Uint8Array): string {
  const part = bytes.subarray(0, TEXT_BYTES)
  if (part.length === 0 || part.some(isControl)) return UNKNOWN
  return isDrawing(signs(part, 0, TEXT_BYTES)) ? 'image/svg+xml' : 'text/plain'
}

// One part after the other: comments in a repeated group of one pattern are tried in all their combinations.
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
