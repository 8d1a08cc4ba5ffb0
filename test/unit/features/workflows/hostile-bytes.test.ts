/** Bytes and texts that were made to hold up or fill whoever reads them. Before, each took minutes or all memory. */
import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { InputType } from '../../../../src-main/features/workflows/rules/input-type.ts'
import type { ByteTools } from '../../../../src-main/features/workflows/rules/metadata/bytes.ts'
import { findGraph } from '../../../../src-main/features/workflows/rules/metadata/find-graph.ts'
import { readPngTexts, withPngTexts } from '../../../../src-main/features/workflows/rules/metadata/png.ts'
import { valueProblem } from '../../../../src-main/features/workflows/rules/publish/parameter-values.ts'
import { resolvePrompt } from '../../../../src-main/features/workflows/rules/resolve/dynamic-prompts.ts'
import { nextValue } from '../../../../src-main/features/workflows/rules/resolve/next-value.ts'
import { validate } from '../../../../src-main/features/workflows/rules/validate.ts'
import { jsonNumber } from '../../../../src-main/lib/json/value.ts'
import { mediaTypeOf } from '../../../../src-main/lib/media.ts'
import { fileTools } from '../../../../src-main/shipped-files/resources.ts'
import { bundledTypes, objectOf } from '../../../support/workflow-files.ts'

const bytesOf = (text: string) => Buffer.from(text, 'latin1')

function uint32(value: number, little = false): Buffer {
  const bytes = Buffer.alloc(4)
  if (little) bytes.writeUInt32LE(value)
  else bytes.writeUInt32BE(value)
  return bytes
}

function chunk(type: string, data: Uint8Array): Buffer {
  return Buffer.concat([uint32(data.length), bytesOf(type), data, Buffer.alloc(4)])
}

const png = (...chunks: readonly Buffer[]) => Buffer.concat([bytesOf('\x89PNG\r\n\x1a\n'), ...chunks])

/** The tools of Node, which count what they give. */
function counting() {
  const given = { decoded: 0, unpacked: 0 }
  const tools: ByteTools = {
    utf8(bytes) {
      given.decoded += bytes.length
      return fileTools.utf8(bytes)
    },
    inflate(packed, most) {
      const unpacked = fileTools.inflate(packed, most)
      given.unpacked += unpacked?.length ?? most
      return unpacked
    },
  }
  return { tools, given }
}

const MIB = 1024 * 1024

test.each([
  ['comments', '<!---->'],
  ['comments that go on', '<!-- a --><!-- -->'],
  ['comments and types', '<!----><!DOCTYPE a>'],
])('a text of many %s is text at once', (_what, part) => {
  expect(mediaTypeOf(bytesOf(part.repeat(600).slice(0, 4096)))).toBe('text/plain')
  expect(mediaTypeOf(bytesOf(`\xef\xbb\xbf<?xml version="1.0"?> ${part.repeat(20)} <svg>`))).toBe('image/svg+xml')
})

test('a picture with a thousand packed texts unpacks as much as one text may have', () => {
  const packed = deflateSync(Buffer.alloc(8 * MIB, 120))
  const text = chunk('zTXt', Buffer.concat([bytesOf('comment\0\0'), packed]))
  const bomb = chunk('zTXt', Buffer.concat([bytesOf('comment\0\0'), deflateSync(Buffer.alloc(70 * MIB))]))
  const many = counting()
  readPngTexts(png(...Array.from({ length: 1000 }, () => text)), many.tools)
  expect(many.given.unpacked).toBeLessThanOrEqual(72 * MIB)
  const vain = counting()
  readPngTexts(png(...Array.from({ length: 100 }, () => bomb)), vain.tools)
  expect(vain.given.unpacked).toBeLessThanOrEqual(8 * 64 * MIB)
})

const GRAPH = '{"nodes":[],"links":[]}'
const little = (value: number) => uint32(value, true)
const sized = (type: string, data: Uint8Array) => Buffer.concat([uint32(8 + data.length), bytesOf(type), data])
const exifWithGraph = (() => {
  const text = bytesOf(`workflow:${GRAPH}\0`)
  const field = Buffer.concat([Buffer.from([0x0f, 1, 2, 0]), little(text.length), little(22)])
  return Buffer.concat([bytesOf('II*\0'), little(8), Buffer.from([1, 0]), field, text])
})()
const comment = bytesOf(`workflow=${GRAPH}`)
const comments = Buffer.concat([little(0), little(1), little(comment.length), comment])
const oggPage = (packet: Buffer) =>
  Buffer.concat([bytesOf('OggS'), Buffer.alloc(22), Buffer.from([packet.length === 0 ? 0 : 1]), packet])

// Each: what it begins with, an empty part, and the part that holds the graph.
test.each<readonly [string, Buffer, Buffer, Buffer]>([
  ['PNG', png(), chunk('aaaa', Buffer.alloc(0)), chunk('tEXt', bytesOf(`workflow\0${GRAPH}`))],
  [
    'WebP',
    bytesOf('RIFF\0\0\0\0WEBP'),
    bytesOf('AAAA\0\0\0\0'),
    Buffer.concat([bytesOf('EXIF'), little(exifWithGraph.length), exifWithGraph]),
  ],
  [
    'FLAC',
    bytesOf('fLaC'),
    Buffer.from([1, 0, 0, 0]),
    Buffer.concat([Buffer.from([4, 0, 0, comments.length]), comments]),
  ],
  [
    'MP3',
    Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 0x7f, 0x7f, 0x7f, 0x7f]),
    Buffer.concat([bytesOf('AAAA'), uint32(1), Buffer.from([0, 0, 3])]),
    Buffer.concat([bytesOf('TXXX'), uint32(10 + GRAPH.length), Buffer.from([0, 0, 3]), bytesOf(`workflow\0${GRAPH}`)]),
  ],
])('a %s has its graph among its first 50,000 parts', (_what, head, empty, graph) => {
  const fileOf = (parts: number) => Buffer.concat([head, ...Array.from({ length: parts }, () => empty), graph])
  expect(findGraph(fileOf(40_000), fileTools).kind).toBe('document')
  expect(findGraph(fileOf(60_000), fileTools).kind).toBe('none')
})

test('an Ogg has its tags in its first 50,000 pages', () => {
  const words = Buffer.concat([bytesOf('OpusTags'), comments])
  const tags = Buffer.concat([
    oggPage(Buffer.alloc(0)).fill(1, 26, 27),
    Buffer.from([1, 0]),
    Buffer.concat([bytesOf('OggS'), Buffer.alloc(22), Buffer.from([1, words.length]), words]),
  ])
  const fileOf = (pages: number) =>
    Buffer.concat([...Array.from({ length: pages }, () => oggPage(Buffer.alloc(0))), tags])
  expect(findGraph(fileOf(40_000), fileTools).kind).toBe('document')
  expect(findGraph(fileOf(60_000), fileTools).kind).toBe('none')
})

test('an item of a film has its text in its first boxes', () => {
  const text = sized('data', Buffer.concat([Buffer.alloc(8), bytesOf(GRAPH)]))
  const keys = sized('keys', Buffer.concat([uint32(0), uint32(1), sized('mdta', bytesOf('workflow'))]))
  const film = (boxes: number) => {
    const empty = sized('free', Buffer.alloc(0))
    const item = Buffer.concat([...Array.from({ length: boxes }, () => empty), text])
    const list = Buffer.concat([uint32(8 + item.length), uint32(1), item])
    const meta = Buffer.concat([uint32(0), keys, sized('ilst', list)])
    return Buffer.concat([sized('ftyp', bytesOf('isom')), sized('moov', sized('meta', meta))])
  }
  expect(findGraph(film(1), fileTools).kind).toBe('document')
  expect(findGraph(film(1000), fileTools).kind).toBe('none')
})

test('no graph is written into a picture with more chunks than are looked at', () => {
  const picture = (chunks: number) =>
    png(
      chunk('IHDR', Buffer.alloc(13)),
      ...Array.from({ length: chunks }, () => chunk('aaaa', Buffer.alloc(0))),
      chunk('IEND', Buffer.alloc(0)),
    )
  expect(withPngTexts(picture(40_000), [])).toBeDefined()
  expect(withPngTexts(picture(60_000), [])).toBeUndefined()
})

test('a text of a picture behind one that is damaged is read', () => {
  const damaged = chunk('zTXt', bytesOf('comment\0\0nothing'))
  const texts = readPngTexts(png(damaged, chunk('tEXt', bytesOf('prompt\0{}'))), fileTools)
  expect(texts).toEqual([{ keyword: 'prompt', text: '{}' }])
})

test.each([
  ['text', (text: Buffer) => text],
  ['picture', (text: Buffer) => png(chunk('tEXt', Buffer.concat([bytesOf('prompt\0'), text])))],
])('a %s with more than the library takes is not read', (_what, fileOf) => {
  const text = Buffer.alloc(21 * MIB, '[')
  expect(findGraph(fileOf(text), fileTools)).toMatchObject({ why: expect.stringContaining('limit is 20') })
})

test('fields of a camera that all point at one place are read once', () => {
  const [fields, size] = [900, MIB]
  const head = Buffer.concat([bytesOf('II*\0'), uint32(8, true), Buffer.from([fields & 255, fields >> 8])])
  const at = head.length + fields * 12
  const field = Buffer.concat([Buffer.from([0x0f, 1, 2, 0]), uint32(size, true), uint32(at, true)])
  const text = Buffer.alloc(size, 'a')
  text.write('a:')
  const exif = Buffer.concat([head, ...Array.from({ length: fields }, () => field), text])
  const webp = Buffer.concat([bytesOf('RIFF\0\0\0\0WEBPEXIF'), uint32(exif.length, true), exif])
  const { tools, given } = counting()
  findGraph(webp, tools)
  expect(given.decoded).toBeLessThanOrEqual(64 * MIB)
})

test('a film whose names have no end is left alone', () => {
  const element = Buffer.from([0x45, 0xa3, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
  const film = Buffer.concat([
    Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x80]),
    ...Array.from({ length: 1e5 }, () => element),
  ])
  const { tools, given } = counting()
  expect(findGraph(film, tools).kind).toBe('none')
  expect(given.decoded).toBeLessThanOrEqual(film.length)
})

test.each(['<metadata', '<metadata>', '<metadata><![CDATA['])('a drawing of many %s holds no graph', (part) => {
  expect(findGraph(bytesOf(`<svg>${part.repeat(500_000)}`), fileTools).kind).toBe('none')
})

test('a drawing gives its graph, also behind other metadata', () => {
  const graph = '{"workflow":{"nodes":[],"links":[]}}'
  const drawing = `<svg><metadata>words</metadata><metadata id="g">\n <![CDATA[${graph}]]></metadata></svg>`
  expect(findGraph(bytesOf(drawing), fileTools).kind).toBe('document')
})

test('a prompt of many comments that do not end is a prompt', () => {
  const prompt = '/* '.repeat(500_000)
  expect(resolvePrompt(prompt, (least) => least) === prompt).toBe(true)
})

test.each([
  ['a /* b */ c // d', 'a  c '],
  ['a // b /* c\nd */ e', 'a \nd */ e'],
  ['/* // */x', 'x'],
  ['//\r\nx', '\r\nx'],
  ['a/b /*', 'a/b /*'],
  ['/*/ a */ b', ' b'],
])('of the prompt %j its comments are left out', (prompt, rest) => {
  expect(resolvePrompt(prompt, (least) => least)).toBe(rest)
})

test('a pattern that would be tried for ever lets all choices through', () => {
  const choices = ['a'.repeat(60), `${'a'.repeat(60)}!`]
  const input = { name: 'x', type: 'COMBO', isRequired: true, options: new Map(), choices } as unknown as InputType
  for (const filter of ['/^(a+)+$/', '/^(a|a)*$/', `/${'a?'.repeat(60)}${'a'.repeat(60)}/`, `/${'.*'.repeat(20)}b/`]) {
    const next = nextValue('none', 'increment', { input, filter, random: (least) => least })
    expect(next).toBe(choices[0])
  }
})

test('a number of ten million digits is refused without being counted', () => {
  const parameter = { name: 'n', node: '1', input: 'n', type: 'integer', min: '0', max: '9' } as const
  expect(valueProblem(parameter, { number: '9'.repeat(10_000_000) })).toMatch(/^is 9{59}…, but must be a whole number$/)
  expect(valueProblem(parameter, jsonNumber(9n))).toBe(undefined)
})

test('a graph in which each link closes a loop tells of some of them, shortly', () => {
  const nodes = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [
      at,
      { class_type: 'Mine', inputs: { next: [String((at + 1) % 20_000), 0], first: ['0', 0] } },
    ]),
  )
  const loops = validate(objectOf(JSON.stringify(nodes)), bundledTypes()).filter(({ code }) => code === 'cycle')
  expect(loops).toHaveLength(100)
  expect(Math.max(...loops.map(({ message }) => message.length))).toBeLessThan(400)
})

test('a node with 200,000 links is looked through', () => {
  const inputs = Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`i${at}`, ['2', 0]]))
  const payload = { 1: { class_type: 'Mine', inputs }, 2: { class_type: 'Mine', inputs: {} } }
  expect(validate(objectOf(JSON.stringify(payload)), bundledTypes()).map(({ severity }) => severity)).toEqual([
    'warning',
    'warning',
  ])
})
