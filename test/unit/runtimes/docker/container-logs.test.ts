import { describe, expect, it } from 'vitest'
import { createFrameCutter } from '../../../../src-main/runtimes/docker/container-logs.ts'

const STAMP = '2026-11-21T06:00:00.123456789Z'
const AT = Date.parse('2026-11-21T06:00:00.123Z')

/** A frame of the engine: stream, three zeros, the length, the text. */
function frame(text: string, stream = 1): Buffer {
  const header = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0])
  header.writeUInt32BE(Buffer.byteLength(text), 4)
  return Buffer.concat([header, Buffer.from(text)])
}

const line = (text: string) => ({ text, at: AT, stamp: STAMP })

describe('the output of a container', () => {
  it('is cut into lines with their time, from both streams', () => {
    const cut = createFrameCutter()
    expect(cut(Buffer.concat([frame(`${STAMP} one\n`), frame(`${STAMP} two\n`, 2)]))).toEqual([
      line('one'),
      line('two'),
    ])
  })

  it('is the same wherever it is broken on the way', () => {
    const bytes = Buffer.concat([frame(`${STAMP} größe 🔑\n`), frame(`${STAMP} two\n`)])
    for (let at = 0; at <= bytes.length; at++) {
      const cut = createFrameCutter()
      const lines = [...cut(bytes.subarray(0, at)), ...cut(bytes.subarray(at))]
      expect(lines).toEqual([line('größe 🔑'), line('two')])
    }
  })

  it.each([
    ['an empty line', `${STAMP} \n`, ''],
    ['a line without a text', `${STAMP}\n`, ''],
    ['a last line that has no end', `${STAMP} the end`, 'the end'],
    ['the line end of a terminal', `${STAMP} text\r\n`, 'text'],
    ['spaces', `${STAMP}   a  b \n`, '  a  b '],
  ])('keeps %s', (_name, text, wanted) => {
    expect(createFrameCutter()(frame(text))).toEqual([line(wanted)])
  })

  it('is nothing before the first frame is whole', () => {
    const cut = createFrameCutter()
    expect(cut(Buffer.alloc(0))).toEqual([])
    expect(cut(frame(`${STAMP} x\n`).subarray(0, 7))).toEqual([])
  })
})
