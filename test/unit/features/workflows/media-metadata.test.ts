import { inflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { ByteTools } from '../../../../src-main/features/workflows/rules/metadata/bytes.ts'
import { findGraph } from '../../../../src-main/features/workflows/rules/metadata/find-graph.ts'
import { crc32, writeGraphIntoPng } from '../../../../src-main/features/workflows/rules/metadata/png.ts'
import { writeJson } from '../../../../src-main/lib/json/value.ts'

const TOOLS: ByteTools = {
  utf8: (bytes) => new TextDecoder().decode(bytes),
  inflate: (bytes, most) => inflateSync(bytes, { maxOutputLength: most }),
}
const DOCUMENT =
  '{"nodes":[{"id":1,"type":"Note","widgets_values":["☕",18446744073709551615]}],"links":[],"version":0.4}'
const PAYLOAD = '{"3":{"class_type":"KSampler","inputs":{"seed":18446744073709551615}}}'

const u32 = (value: number, little = false) => {
  const bytes = Buffer.alloc(4)
  if (little) bytes.writeUInt32LE(value)
  else bytes.writeUInt32BE(value)
  return bytes
}
const u16 = (value: number) => u32(value).subarray(2)
const box = (type: string, ...parts: readonly Buffer[]) => {
  const data = Buffer.concat(parts)
  return Buffer.concat([u32(data.length + 8), Buffer.from(type, 'latin1'), data])
}
const NONE = Buffer.alloc(4)

/** A film with tags named by a list of keys, or by their own types. */
function film(tags: Readonly<Record<string, string>>, { isPlain = false, inUserData = false } = {}): Buffer {
  const names = Object.keys(tags)
  const keys = names.map((name) => Buffer.concat([u32(name.length + 8), Buffer.from(`mdta${name}`)]))
  const items = Object.values(tags).map((text, at) => {
    const data = box('data', u32(1), NONE, Buffer.from(text))
    return isPlain ? box(names[at] ?? '', data) : box(u32(at + 1).toString('latin1'), data)
  })
  const listed = isPlain ? [] : [box('keys', NONE, u32(names.length), ...keys)]
  const meta = box('meta', ...(inUserData ? [NONE] : []), box('hdlr', NONE), ...listed, box('ilst', ...items))
  return Buffer.concat([
    box('ftyp', Buffer.from('isom'), NONE),
    box('mdat', Buffer.alloc(50)),
    box('moov', box('mvhd', Buffer.alloc(20)), inUserData ? box('udta', meta) : meta),
  ])
}

function exif(text: string): Buffer {
  const bytes = Buffer.from(`${text}\0`)
  const entry = Buffer.concat([u16(0x010f), u16(2), u32(bytes.length), u32(26)])
  return Buffer.concat([Buffer.from('MM'), u16(42), u32(8), u16(1), entry, NONE, bytes])
}

/** An AVIF picture without pixels. */
function avif(text: string): Buffer {
  const data = Buffer.concat([u32(0), exif(text)])
  const entry = box('infe', u32(0x02000000), u16(7), u16(0), Buffer.from('Exif\0'))
  const rest = [box('iinf', NONE, u16(1), entry)]
  const ftyp = box('ftyp', Buffer.from('avif'), NONE)
  const iloc = (at: number) =>
    box('iloc', NONE, Buffer.from([0x44, 0x00]), u16(1), u16(7), u16(0), u16(1), u32(at), u32(data.length))
  const head = ftyp.length + box('meta', NONE, ...rest, iloc(0)).length + 8
  return Buffer.concat([ftyp, box('meta', NONE, ...rest, iloc(head)), box('mdat', data)])
}

const element = (id: string, data: Buffer, isUnknown = false) => {
  const size = isUnknown ? Buffer.from([0xff]) : Buffer.concat([Buffer.from([0x10 | 0]), u32(data.length).subarray(1)])
  return Buffer.concat([Buffer.from(id, 'hex'), size, data])
}

function webm(tags: Readonly<Record<string, string>>, { isUnknown = false } = {}): Buffer {
  const simple = Object.entries(tags).map(([name, text]) =>
    element('67c8', Buffer.concat([element('45a3', Buffer.from(name)), element('4487', Buffer.from(text))])),
  )
  const cluster = element('1f43b675', element('a3', Buffer.alloc(300)), isUnknown)
  const all = element('1254c367', element('7373', Buffer.concat([element('63c0', NONE), ...simple])))
  return Buffer.concat([
    element('1a45dfa3', Buffer.from('webm')),
    element('18538067', Buffer.concat([cluster, all]), isUnknown),
  ])
}

function comments(tags: Readonly<Record<string, string>>): Buffer {
  const list = Object.entries(tags).map(([name, text]) => Buffer.from(`${name}=${text}`))
  const written = list.flatMap((bytes) => [u32(bytes.length, true), bytes])
  return Buffer.concat([u32(4, true), Buffer.from('some'), u32(list.length, true), ...written])
}

function flac(tags: Readonly<Record<string, string>>): Buffer {
  const data = comments(tags)
  const block = (kind: number, bytes: Buffer) =>
    Buffer.concat([Buffer.from([kind]), u32(bytes.length).subarray(1), bytes])
  return Buffer.concat([Buffer.from('fLaC'), block(0, Buffer.alloc(34)), block(0x84, data)])
}

/** Two packets in pages of 255 segments at most. */
function ogg(mark: string, tags: Readonly<Record<string, string>>): Buffer {
  const packet = Buffer.concat([Buffer.from(mark, 'latin1'), comments(tags)])
  const sizes = [...Array.from({ length: Math.floor(packet.length / 255) }, () => 255), packet.length % 255]
  const page = (segments: readonly number[], data: Buffer) =>
    Buffer.concat([Buffer.from('OggS'), Buffer.alloc(22), Buffer.from([segments.length, ...segments]), data])
  const pages: Buffer[] = [page([4], NONE)]
  for (let at = 0; at < sizes.length; at += 255) {
    pages.push(page(sizes.slice(at, at + 255), packet.subarray(at * 255, (at + 255) * 255)))
  }
  return Buffer.concat(pages)
}

function mp3(frames: readonly Buffer[], version: number): Buffer {
  const sevenBits = (value: number) => Buffer.from([21, 14, 7, 0].map((shift) => (value >> shift) & 0x7f))
  const all = frames.map((data) => {
    const size = version === 3 ? u32(data.length) : sevenBits(data.length)
    return Buffer.concat([Buffer.from('TXXX'), size, Buffer.alloc(2), data])
  })
  const body = Buffer.concat(all)
  return Buffer.concat([Buffer.from('ID3'), Buffer.from([version, 0, 0]), sevenBits(body.length), body])
}
const latinFrame = (name: string, text: string) => Buffer.concat([Buffer.from([3]), Buffer.from(`${name}\0${text}\0`)])
const utf16Frame = (name: string, text: string) =>
  Buffer.concat([Buffer.from([1]), Buffer.from(`\ufeff${name}\0\ufeff${text}`, 'utf16le')])

function tensors(head: string): Buffer {
  const size = Buffer.alloc(8)
  size.writeBigUInt64LE(BigInt(Buffer.byteLength(head)))
  return Buffer.concat([size, Buffer.from(head), Buffer.alloc(16)])
}

function shape(json: string): Buffer {
  const data = Buffer.from(json)
  const head = [Buffer.from('glTF'), u32(2, true), u32(20 + data.length, true), u32(data.length, true)]
  return Buffer.concat([...head, u32(0x4e4f534a, true), data])
}

/** An EXR picture without pixels: attributes, then the end of its head. */
function exr(texts: Readonly<Record<string, string>>): Buffer {
  const attribute = (name: string, type: string, value: Buffer) =>
    Buffer.concat([Buffer.from(`${name}\0${type}\0`), u32(value.length, true), value])
  const strings = Object.entries(texts).map(([name, text]) => attribute(name, 'string', Buffer.from(text)))
  const head = [u32(0x01312f76, true), u32(2, true), attribute('compression', 'compression', Buffer.of(3))]
  return Buffer.concat([...head, ...strings, Buffer.of(0), Buffer.alloc(40)])
}

function found(bytes: Uint8Array): string {
  const graph = findGraph(bytes, TOOLS)
  return graph.kind === 'none' ? graph.why : writeJson(graph.raw)
}

const BOTH = { prompt: PAYLOAD, workflow: DOCUMENT }
const IN_TEXT = JSON.stringify(BOTH)

const FILES: readonly (readonly [string, Buffer])[] = [
  ['an MP4 film', film(BOTH, { inUserData: true })],
  ['a MOV film', film(BOTH)],
  ['a film with both in its comment', film({ '\u00a9cmt': IN_TEXT }, { isPlain: true, inUserData: true })],
  ['an AVIF picture', avif(`workflow:${DOCUMENT}`)],
  ['an EXR picture', exr(BOTH)],
  ['a WebM film', webm({ PROMPT: PAYLOAD, WORKFLOW: DOCUMENT })],
  ['a WebM film of unknown length', webm(BOTH, { isUnknown: true })],
  ['a FLAC sound', flac(BOTH)],
  ['an Ogg Vorbis sound', ogg('\u0003vorbis', BOTH)],
  ['an Opus sound with much to tell', ogg('OpusTags', { ...BOTH, much: 'x'.repeat(100_000) })],
  ['an MP3 sound', mp3([latinFrame('prompt', PAYLOAD), latinFrame('workflow', DOCUMENT)], 4)],
  ['an MP3 sound of the older kind', mp3([utf16Frame('workflow', DOCUMENT)], 3)],
  ['tensors', tensors(JSON.stringify({ __metadata__: BOTH, x: { dtype: 'F32' } }))],
  ['a drawing', Buffer.from(`<?xml version="1.0"?><svg><metadata><![CDATA[${IN_TEXT}]]></metadata></svg>`)],
  ['a shape', shape(`{"asset":{"version":"2.0","extras":{"prompt":${PAYLOAD},"workflow":${DOCUMENT}}}}`)],
]

describe('the graph in a picture, a film, a sound, a tensor, a drawing, a shape', () => {
  test.each(FILES)('%s: the document is found', (_, bytes) => {
    expect(found(bytes)).toBe(DOCUMENT)
  })

  test.each(FILES)('%s that is cut off anywhere is no reason to fail', (_, bytes) => {
    const step = Math.max(1, Math.floor(bytes.length / 50))
    for (let length = 0; length < bytes.length; length += step)
      expect(typeof found(bytes.subarray(0, length))).toBe('string')
  })

  test.each(FILES)('%s with any byte changed is no reason to fail', (_, bytes) => {
    const step = Math.max(1, Math.floor(bytes.length / 50))
    for (let at = 0; at < bytes.length; at += step)
      for (const value of [0, 0xff]) {
        const changed = Buffer.from(bytes)
        changed[at] = value
        expect(typeof found(changed)).toBe('string')
      }
  })

  test('a film without tags says that it holds none', () => {
    expect(found(film({ title: 'x' }))).toBe('The file holds no workflow: it was made without one, or it was removed.')
  })

  test('a million empty elements are not walked for ever', () => {
    const empty = Buffer.alloc(4_000_000)
    for (let at = 0; at < empty.length; at += 2) empty.set([0xec, 0x80], at)
    expect(found(Buffer.concat([element('1a45dfa3', NONE), empty]))).toContain('The file holds no workflow')
  })
})

describe('a graph for a picture', () => {
  test('its checksum is that of PNG', () => {
    expect(crc32(Buffer.from('123456789'))).toBe(0xcbf43926)
  })

  test('is found again', () => {
    const chunk = (type: string, data: Buffer) => {
      const checked = Buffer.concat([Buffer.from(type), data])
      return Buffer.concat([u32(data.length), checked, u32(crc32(checked))])
    }
    const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
    const bytes = Buffer.concat([signature, chunk('IHDR', Buffer.alloc(13)), chunk('IEND', Buffer.alloc(0))])
    const written = writeGraphIntoPng(bytes, BOTH, (text) => Buffer.from(text))
    expect(written && found(written)).toBe(DOCUMENT)
    expect(writeGraphIntoPng(Buffer.from('no picture'), BOTH, (text) => Buffer.from(text))).toBeUndefined()
  })
})
