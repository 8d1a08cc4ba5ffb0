/** Bodies that take longest to read for their size. */

const filled = (before: string, part: string, after: string, bytes: number): Buffer<ArrayBuffer> =>
  Buffer.from(
    before + part.repeat(Math.floor((bytes - before.length - after.length) / Buffer.byteLength(part))) + after,
  )

/** A value as a body that is ready to be sent. */
export const jsonBytes = (value: unknown) => new Uint8Array(Buffer.from(JSON.stringify(value)))

/** JSON objects with these bytes under `name`; each is valid, and the service takes each as an input or result. */
export const WORST_JSON: Readonly<Record<string, (name: string, bytes: number) => Buffer<ArrayBuffer>>> = {
  'empty lists': (name, bytes) => filled(`{"${name}":{"a":[`, '[],', '0]}}', bytes),
  'empty objects': (name, bytes) => filled(`{"${name}":{"a":[`, '{},', '0]}}', bytes),
  'short strings': (name, bytes) => filled(`{"${name}":{"a":[`, '"",', '0]}}', bytes),
  digits: (name, bytes) => filled(`{"${name}":{"a":[`, '0,', '0]}}', bytes),
  'escaped quotes': (name, bytes) => filled(`{"${name}":{"a":"`, '\\"', '"}}', bytes),
  'letters of two bytes and ends of lines': (name, bytes) => filled(`{"${name}":{"a":"`, 'é\\n', '"}}', bytes),
}

/** A number in the byte order of PNG. */
function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** A chunk of a PNG without its checksum, which nobody here looks at. */
export const pngChunk = (type: string, data: Uint8Array = new Uint8Array()): Buffer =>
  Buffer.concat([uint32(data.length), Buffer.from(type, 'latin1'), data, Buffer.alloc(4)])

/** A PNG of so many bytes that is all the same chunk. */
export function pngOf(chunk: Buffer, bytes: number): Buffer {
  const head = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), pngChunk('IHDR', Buffer.alloc(13))])
  const end = pngChunk('IEND')
  const count = Math.floor((bytes - head.length - end.length) / chunk.length)
  return Buffer.concat([head, ...Array.from({ length: count }, () => chunk), end])
}

const latin1 = (text: string) => Buffer.from(text, 'latin1')

/** The head and the smallest part of files, by extension. */
const PARTS: Readonly<Record<string, readonly [head: Buffer, part: Buffer]>> = {
  webp: [latin1('RIFF\0\0\0\0WEBP'), latin1('EXIF\0\0\0\0')],
  jpg: [Buffer.from([0xff, 0xd8]), Buffer.from([0xff, 0xe1, 0, 2])],
  svg: [latin1('<svg>'), latin1('<!---->')],
  mp4: [latin1('\0\0\0\x0cftypisom'), latin1('\0\0\0\x08free')],
  webm: [latin1('\x1aE\xdf\xa3\x87B\x82\x84webm'), Buffer.from([0x45, 0xa3, 0x80])],
  mp3: [Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 0x7f, 0x7f, 0x7f, 0x7f]), latin1('AAAA\0\0\0\x01\0\0\x03')],
  wav: [latin1('RIFF\0\0\0\0WAVE'), latin1('AAAA\0\0\0\0')],
  flac: [latin1('fLaC'), Buffer.from([1, 0, 0, 0])],
  ogg: [Buffer.alloc(0), Buffer.concat([latin1('OggS'), Buffer.alloc(23)])],
}

/** Files with as many parts as fit into so many bytes, by extension. */
export const WORST_FILES: Readonly<Record<string, (bytes: number) => Buffer>> = {
  png: (bytes) => pngOf(pngChunk('tEXt', latin1('k\0v')), bytes),
  ...Object.fromEntries(
    Object.entries(PARTS).map(([kind, [head, part]]) => [
      kind,
      (bytes: number) => Buffer.concat([head, Buffer.alloc(bytes - head.length, part)]),
    ]),
  ),
}
