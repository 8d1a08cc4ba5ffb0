import { encode } from 'fast-png'
import jpeg from 'jpeg-js'
import { describe, expect, test } from 'vitest'
import { extensionOf, isShown, isShownName, mediaTypeOf, pictureSize } from '../../../src-main/lib/media.ts'

const latin1 = (text: string) => Uint8Array.from(text, (sign) => sign.charCodeAt(0))
const utf8 = (text: string) => new TextEncoder().encode(text)
const png = (width: number, height: number) =>
  encode({ width, height, channels: 1, depth: 8, data: new Uint8Array(width * height) })
const jpg = (width: number, height: number) =>
  new Uint8Array(jpeg.encode({ width, height, data: new Uint8Array(width * height * 4) }, 50).data)

describe('the type of a file', () => {
  test.each([
    ['image/png', png(1, 1)],
    ['image/jpeg', jpg(8, 8)],
    ['image/gif', latin1('GIF89a\x02\0\x03\0')],
    ['image/webp', latin1('RIFF\0\0\0\0WEBPVP8 ')],
    ['image/avif', latin1('\0\0\0\x1cftypavif')],
    ['image/svg+xml', utf8('<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="x"><script/></svg>')],
    ['video/mp4', latin1('\0\0\0\x18ftypisom')],
    ['video/quicktime', latin1('\0\0\0\x14ftypqt  ')],
    ['video/webm', latin1('\x1aE\xdf\xa3\x01\0\0\0\0\0\0\x1fB\x86\x81\x01B\x82\x84webm')],
    ['video/matroska', latin1('\x1aE\xdf\xa3\x01\0\0\0\0\0\0\x1fB\x86\x81\x01B\x82\x88matroska')],
    ['application/octet-stream', latin1('\x1aE\xdf\xa3\x01\0\0\0\0\0\0\x1fB\x86\x81\x01')],
    ['audio/mpeg', latin1('ID3\x04\0')],
    ['audio/mpeg', latin1('\xff\xfb\x90\x64')],
    ['audio/ogg', latin1('OggS\0')],
    ['audio/flac', latin1('fLaC\0')],
    ['audio/wav', latin1('RIFF\0\0\0\0WAVEfmt ')],
    ['model/gltf-binary', latin1('glTF\x02')],
    ['text/plain', utf8('Ein Satz mit ü.\n')],
    ['text/plain', utf8('<html><script>alert(1)</script></html>')],
    ['application/octet-stream', latin1('\0\x01\x02')],
    ['application/octet-stream', new Uint8Array()],
    ['application/octet-stream', latin1('\xff\xff\xff\xff\x00')],
  ])('is %s', (type, bytes) => expect(mediaTypeOf(bytes)).toBe(type))

  test('decides what a browser shows: nothing that could run a script', () => {
    const types = ['image/png', 'video/webm', 'audio/flac', 'image/svg+xml', 'text/plain', 'application/octet-stream']
    expect(types.map(isShown)).toEqual([true, true, true, false, false, false])
    const names = ['a.png', 'a.b.JPEG', 'a.mp4', 'a.svg', 'a.txt', 'png']
    expect(names.map(isShownName)).toEqual([true, true, true, false, false, true])
    expect(['image/jpeg', 'audio/mpeg', 'x/y'].map(extensionOf)).toEqual(['jpg', 'mp3', 'bin'])
  })
})

describe('the size of a picture', () => {
  const sizeOf = (bytes: Uint8Array) => pictureSize(bytes, mediaTypeOf(bytes))
  const webp = (rest: string) => latin1(`RIFF\0\0\0\0WEBP${rest}`.padEnd(40, '\0'))
  const avif = latin1(
    `\0\0\0\x1cftypavif${'\0'.repeat(40)}\0\0\0\x14ispe\0\0\0\0\0\0\x02\0\0\0\x01\0${'\0'.repeat(20)}`,
  )

  test.each([
    ['PNG', png(7, 5), { width: 7, height: 5 }],
    ['JPEG', jpg(40, 24), { width: 40, height: 24 }],
    ['GIF', latin1('GIF89a\x02\x01\x03\0'), { width: 258, height: 3 }],
    ['WebP with losses', webp('VP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x10\x02\x20\x01'), { width: 528, height: 288 }],
    ['WebP without losses', webp('VP8L\0\0\0\0\x2f\x0f\xc0\x07\0'), { width: 16, height: 32 }],
    ['extended WebP', webp('VP8X\0\0\0\0\0\0\0\0\xff\x03\0\x7f\x02\0'), { width: 1024, height: 640 }],
    ['AVIF', avif, { width: 512, height: 256 }],
  ])('of %s is in its head', (_name, bytes, size) => expect(sizeOf(bytes)).toEqual(size))

  test('is not told of what is cut off, has none, or is no picture', () => {
    for (const bytes of [png(7, 5).subarray(0, 20), jpg(40, 24).subarray(0, 30), webp('VP8 ').subarray(0, 20)])
      expect(sizeOf(bytes)).toBe(undefined)
    const none = png(1, 1)
    new DataView(none.buffer, none.byteOffset).setUint32(16, 0)
    expect(sizeOf(none)).toBe(undefined)
    expect(sizeOf(utf8('words'))).toBe(undefined)
  })

  test('of a JPEG with segments that lead nowhere ends', () => {
    const endless = new Uint8Array(4_000_000).fill(0xff)
    expect(pictureSize(endless, 'image/jpeg')).toBe(undefined)
    expect(pictureSize(latin1('\xff\xd8\xff\xe0\0\0\xff\xe0\0\0\xff\xe0\0\0'), 'image/jpeg')).toBe(undefined)
  })
})
