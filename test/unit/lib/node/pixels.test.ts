import { crc32, deflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { readPixels } from '../../../../src-main/lib/node/pixels.ts'

const PIXEL = chunk('IDAT', deflateSync(Buffer.from([0, 1, 2, 3, 4])))

it('reads no colour profile, whose decompressed size nothing bounds, and one header', () => {
  const profile = chunk('iCCP', Buffer.from('name\0\0not decompressed', 'latin1'))
  const pixels = readPixels(png(header(1), profile, header(60_000), PIXEL), 'image/png')
  expect(pixels).toEqual({ width: 1, height: 1, data: Uint8Array.of(1, 2, 3, 4) })
})

it('refuses pixels of more bytes than the header says, and deep ones from half the size on', () => {
  const large = chunk('IDAT', deflateSync(Buffer.alloc(100_000)))
  expect(() => readPixels(png(header(1), large), 'image/png')).toThrow('larger than')
  expect(readPixels(png(header(8000, 16), PIXEL), 'image/png')).toBeUndefined()
})

it('refuses a JPEG of too many pixels by its header', () => {
  const side = Buffer.from([0x1b, 0x58]) // 7000
  const frame = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xc0, 0, 17, 8]), side, side, Buffer.alloc(20)])
  expect(readPixels(frame, 'image/jpeg')).toBeUndefined()
})

function header(side: number, depth = 8): Buffer {
  const data = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, depth, 6, 0, 0, 0])
  data.writeUInt32BE(side, 0)
  data.writeUInt32BE(side, 4)
  return chunk('IHDR', data)
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  return Buffer.concat([uint32(data.length), named, uint32(crc32(named))])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const png = (...chunks: readonly Buffer[]) =>
  Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks, chunk('IEND', Buffer.alloc(0))])
