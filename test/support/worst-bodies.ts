/** Bodies that take longest to read for their size. */

const filled = (before: string, part: string, after: string, bytes: number): Buffer<ArrayBuffer> =>
  Buffer.from(
    before + part.repeat(Math.floor((bytes - before.length - after.length) / Buffer.byteLength(part))) + after,
  )

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
