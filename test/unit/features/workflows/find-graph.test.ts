import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { ByteTools } from '../../../../src-main/features/workflows/rules/metadata/bytes.ts'
import { findGraph } from '../../../../src-main/features/workflows/rules/metadata/find-graph.ts'
import { readPngTexts, withPngTexts } from '../../../../src-main/features/workflows/rules/metadata/png.ts'
import { writeJson } from '../../../../src-main/lib/json/value.ts'

const TOOLS: ByteTools = {
  utf8: (bytes) => new TextDecoder().decode(bytes),
  inflate(bytes, most) {
    try {
      return inflateSync(bytes, { maxOutputLength: most })
    } catch {
      return undefined // Damaged, or a bomb.
    }
  },
}
const PAYLOAD = '{"3": {"class_type": "KSampler", "inputs": {"seed": 18446744073709551615}}}'
const DOCUMENT = '{"nodes": [{"id": 1, "type": "Note", "widgets_values": ["☕"]}], "links": [], "version": 0.4}'
// As Python writes texts that are not ASCII.
const ASCII_DOCUMENT = DOCUMENT.replace('☕', '\\u2615')

function chunk(type: string, data: Buffer): Buffer {
  const checked = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const sizes = Buffer.alloc(8)
  sizes.writeUInt32BE(data.length, 0)
  sizes.writeUInt32BE(crc32(checked), 4)
  return Buffer.concat([sizes.subarray(0, 4), checked, sizes.subarray(4)])
}
const text = (keyword: string, value: string) => chunk('tEXt', Buffer.from(`${keyword}\0${value}`, 'utf8'))

/** One grey pixel with further chunks. */
function png(...chunks: readonly Buffer[]): Buffer {
  const head = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])
  const pixels = deflateSync(Buffer.from([0, 128]))
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    ...chunks,
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function webp(fields: readonly (readonly [tag: number, text: string])[], { little = true, mark = '' } = {}): Buffer {
  const head = Buffer.alloc(8 + 2 + fields.length * 12 + 4)
  const u16 = (value: number, at: number) => (little ? head.writeUInt16LE(value, at) : head.writeUInt16BE(value, at))
  const u32 = (value: number, at: number) => (little ? head.writeUInt32LE(value, at) : head.writeUInt32BE(value, at))
  head.write(little ? 'II' : 'MM', 0, 'latin1')
  u16(42, 2)
  u32(8, 4)
  u16(fields.length, 8)
  const texts: Buffer[] = []
  let offset = head.length
  fields.forEach(([tag, value], at) => {
    const bytes = Buffer.from(`${value}\0`)
    const entry = 10 + at * 12
    u16(tag, entry)
    u16(2, entry + 2)
    u32(bytes.length, entry + 4)
    u32(offset, entry + 8)
    texts.push(bytes)
    offset += bytes.length
  })
  const exif = Buffer.concat([Buffer.from(mark, 'latin1'), head, ...texts])
  const riff = (type: string, data: Buffer) => {
    const size = Buffer.alloc(4)
    size.writeUInt32LE(data.length)
    return Buffer.concat([Buffer.from(type, 'latin1'), size, data, Buffer.alloc(data.length % 2)])
  }
  return riff('RIFF', Buffer.concat([Buffer.from('WEBP'), riff('VP8L', Buffer.alloc(5)), riff('EXIF', exif)]))
}

function found(bytes: Uint8Array): string {
  const graph = findGraph(bytes, TOOLS)
  return graph.kind === 'none' ? graph.why : `${graph.kind} ${writeJson(graph.raw)}`
}
const squeezed = (json: string) => json.replaceAll(/([:,]) /g, '$1')

describe('the graph in a file', () => {
  test.each<readonly [string, Uint8Array, string]>([
    [
      'a PNG as the server writes it',
      png(text('prompt', PAYLOAD), text('workflow', ASCII_DOCUMENT)),
      `document ${squeezed(DOCUMENT)}`,
    ],
    ['a PNG with a payload alone', png(text('prompt', PAYLOAD)), `payload ${squeezed(PAYLOAD)}`],
    [
      'a PNG whose workflow is damaged',
      png(text('workflow', '{'), text('prompt', PAYLOAD)),
      `payload ${squeezed(PAYLOAD)}`,
    ],
    [
      'packed texts',
      png(chunk('zTXt', Buffer.concat([Buffer.from('workflow\0\0'), deflateSync(DOCUMENT)]))),
      `document ${squeezed(DOCUMENT)}`,
    ],
    [
      'international texts, packed',
      png(chunk('iTXt', Buffer.concat([Buffer.from('workflow\0\x01\0\0\0'), deflateSync(DOCUMENT)]))),
      `document ${squeezed(DOCUMENT)}`,
    ],
    ['an animated PNG', png(chunk('comf', Buffer.from(`prompt\0${PAYLOAD}`))), `payload ${squeezed(PAYLOAD)}`],
    [
      'a WebP',
      webp([
        [0x0110, `prompt:${PAYLOAD}`],
        [0x010f, `workflow:${DOCUMENT}`],
      ]),
      `document ${squeezed(DOCUMENT)}`,
    ],
    [
      'a WebP with the other byte order and a mark',
      webp([[0x0110, `prompt:${PAYLOAD}`]], { little: false, mark: 'Exif\0\0' }),
      `payload ${squeezed(PAYLOAD)}`,
    ],
    ['a JSON file', Buffer.from(`\ufeff\n ${DOCUMENT}`), `document ${squeezed(DOCUMENT)}`],
    ['a request', Buffer.from(`{"input": {"workflow": ${PAYLOAD}}}`), `payload ${squeezed(PAYLOAD)}`],
  ])('%s', (_what, bytes, graph) => {
    expect(found(bytes)).toBe(graph)
  })

  test.each<readonly [string, Uint8Array, string]>([
    [
      'a picture without one',
      png(),
      'The file holds no workflow: it is neither JSON nor a picture with a graph in it.',
    ],
    [
      'a picture with other texts',
      png(text('Software', 'x')),
      'The file holds no workflow: it was made without one, or it was removed.',
    ],
    [
      'a picture whose workflow is damaged',
      png(text('workflow', '{"a" 1}')),
      'The workflow is not valid JSON: colon expected in line 1, column 6.',
    ],
    [
      'a bomb',
      png(chunk('zTXt', Buffer.concat([Buffer.from('workflow\0\0'), deflateSync(Buffer.alloc(70_000_000))]))),
      'The file holds no workflow: it is neither JSON nor a picture with a graph in it.',
    ],
    ['other JSON', Buffer.from('[1]'), 'The file holds no workflow but a list.'],
    ['nothing', Buffer.alloc(0), 'The file holds no workflow: it is neither JSON nor a picture with a graph in it.'],
    [
      'a film',
      Buffer.from('\0\0\0 ftypisom'),
      'The file holds no workflow: it is neither JSON nor a picture with a graph in it.',
    ],
  ])('%s says so', (_what, bytes, why) => {
    expect(found(bytes)).toBe(why)
  })

  test('the parameters of another tool are reported too', () => {
    const bytes = png(text('parameters', 'a cat, Steps: 20'))
    expect(findGraph(bytes, TOOLS)).toMatchObject({ kind: 'none', parameters: 'a cat, Steps: 20' })
  })

  test('any file that is cut off somewhere is read or refused, never a fault of ours', () => {
    for (const whole of [png(text('workflow', DOCUMENT)), webp([[0x010f, `workflow:${DOCUMENT}`]])])
      for (let end = 0; end < whole.length; end++) expect(() => findGraph(whole.subarray(0, end), TOOLS)).not.toThrow()
  })
})

describe('a graph is put into a picture', () => {
  const encoded = (keyword: string, value: string) => ({ keyword, text: Buffer.from(value) })

  test('and is found again, in place of the one before; all else stays', () => {
    const before = png(text('workflow', '{"old": 1}'), text('Software', 'kept'))
    const after = withPngTexts(before, [encoded('workflow', DOCUMENT), encoded('prompt', PAYLOAD)])
    if (after === undefined) throw new Error('it was refused')
    expect(found(after)).toBe(`document ${squeezed(DOCUMENT)}`)
    expect(readPngTexts(after, TOOLS)).toEqual([
      { keyword: 'workflow', text: DOCUMENT },
      { keyword: 'prompt', text: PAYLOAD },
      { keyword: 'Software', text: 'kept' },
    ])
    const cleared = withPngTexts(after, [])
    expect(cleared?.length).toBe(after.length)
  })

  test.each<readonly [string, Uint8Array]>([
    ['no picture', Buffer.from('{}')],
    ['one that is cut off', png().subarray(0, 60)],
  ])('%s is refused', (_what, bytes) => {
    expect(withPngTexts(bytes, [])).toBeUndefined()
  })
})
