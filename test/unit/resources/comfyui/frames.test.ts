import { describe, expect, it } from 'vitest'
import {
  BadFrame,
  FrameReader,
  type SocketMessage,
  writeFrame,
} from '../../../../resources/node/comfyui/socket/frames.ts'

const LIMITS = { textBytes: 70_000, binaryBytes: 300 }
const MASK = Uint8Array.of(1, 2, 3, 4)

/** Messages of bytes that come in pieces of a size. */
function read(bytes: Uint8Array, size = bytes.length): SocketMessage[] {
  const reader = new FrameReader(LIMITS)
  const messages: SocketMessage[] = []
  for (let at = 0; at < bytes.length; at += size) messages.push(...reader.push(bytes.subarray(at, at + size)))
  return messages
}

/** A frame that is not the last of its message, or goes on with one. @param code 0 goes on */
function part(code: number, text: string, final = false): Buffer {
  const frame = writeFrame('text', Buffer.from(text))
  frame[0] = (final ? 0x80 : 0) | code
  return frame
}

describe('frames', () => {
  it.each([0, 1, 125, 126, 65_535, 65_536])(
    'carry a text of %i bytes, whole or masked, however they come',
    (length) => {
      const text = 'x'.repeat(length)
      for (const mask of [undefined, MASK]) {
        const frame = writeFrame('text', Buffer.from(text), mask)
        for (const size of [1000, frame.length]) expect(read(frame, size)).toEqual([{ kind: 'text', text }])
      }
    },
  )

  it('carry several messages in any pieces', () => {
    const bytes = Buffer.concat([
      writeFrame('text', Buffer.from('é')),
      writeFrame('ping', Buffer.from('p')),
      writeFrame('binary', Uint8Array.of(1, 2)),
      writeFrame('pong', Buffer.alloc(0)),
      writeFrame('close', Buffer.from([0x03, 0xe8, 0x62])),
    ])
    for (const size of [1, 2, 3, bytes.length])
      expect(read(bytes, size)).toEqual([
        { kind: 'text', text: 'é' },
        { kind: 'ping', payload: Buffer.from('p') },
        { kind: 'binary', bytes: Buffer.from([1, 2]) },
        { kind: 'pong' },
        { kind: 'close', code: 1000, reason: 'b' },
      ])
  })

  it('of one message are put together, with a ping between them', () => {
    const bytes = Buffer.concat([part(1, 'a'), writeFrame('ping', Buffer.alloc(0)), part(0, 'b'), part(0, 'c', true)])
    expect(read(bytes)).toEqual([
      { kind: 'ping', payload: Buffer.alloc(0) },
      { kind: 'text', text: 'abc' },
    ])
  })

  it.each([
    ['at the limit', 300, { kind: 'binary', bytes: Buffer.alloc(300) }],
    ['over it', 301, { kind: 'dropped', bytes: 301, text: false }],
  ])('%s: a message is kept or passed over, and the next one is read', (_name, length, expected) => {
    const bytes = Buffer.concat([writeFrame('binary', Buffer.alloc(length)), writeFrame('text', Buffer.from('next'))])
    for (const size of [7, bytes.length]) expect(read(bytes, size)).toEqual([expected, { kind: 'text', text: 'next' }])
  })

  it('over the limit only together are passed over as well', () => {
    const bytes = Buffer.concat([part(2, 'x'.repeat(200)), part(0, 'x'.repeat(200)), part(0, 'x', true)])
    expect(read(bytes)).toEqual([{ kind: 'dropped', bytes: 401, text: false }])
  })

  it.each([
    ['an extension', [0xc1, 0]],
    ['a kind that is not known', [0x83, 0]],
    ['a long control frame', [0x89, 126, 0, 200]],
    ['a control frame in parts', [0x09, 0]],
    ['a part of no message', [0x80, 0]],
    ['a message within a message', [0x01, 0, 0x81, 0]],
  ])('with %s are refused', (_name, bytes) => {
    expect(() => read(Uint8Array.from(bytes))).toThrow(BadFrame)
  })
})
