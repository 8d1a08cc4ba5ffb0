import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { utf8Bytes } from '../../../../src-main/contract/limits.ts'
import { splitChunk } from '../../../../src-main/features/jobs/rules/stream.ts'

const text = fc.string({ unit: 'binary', maxLength: 400 })
const limits = fc.integer({ min: 16, max: 120 })
const outputs = (pieces: readonly string[]) => pieces.map((piece) => (JSON.parse(piece) as { output: never }).output)

describe('splitChunk', () => {
  it('cuts a text into texts within the limit that make the whole again', () => {
    fc.assert(
      fc.property(text, limits, (whole, maxBytes) => {
        const parts: string[] = outputs(splitChunk(JSON.stringify(whole), undefined, maxBytes))
        for (const part of parts) expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThanOrEqual(maxBytes)
        expect(parts.join('')).toBe(whole)
      }),
      { numRuns: 200 },
    )
  })

  it('cuts an array into arrays within the limit that make the whole again', () => {
    const items = fc.array(fc.oneof(fc.integer(), fc.string({ maxLength: 2 }), fc.boolean()), { maxLength: 60 })
    fc.assert(
      fc.property(items, fc.integer({ min: 40, max: 120 }), (whole, maxBytes) => {
        const parts: unknown[][] = outputs(splitChunk(JSON.stringify(whole), undefined, maxBytes))
        for (const part of parts) expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThanOrEqual(maxBytes)
        expect(parts.flat()).toEqual(whole)
      }),
      { numRuns: 200 },
    )
  })

  it('cuts an object into pieces of its JSON text', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string({ maxLength: 50 })), limits, (whole, maxBytes) => {
        const json = JSON.stringify(whole)
        const parts: unknown[] = outputs(splitChunk(json, undefined, maxBytes))
        const joined = parts.length === 1 && typeof parts[0] === 'object' ? JSON.stringify(parts[0]) : parts.join('')
        expect(JSON.parse(joined)).toEqual(JSON.parse(json))
      }),
      { numRuns: 200 },
    )
  })

  it('leaves a chunk that fits as the text that came', () => {
    expect(splitChunk('{"a": 1.0}', '{"n":1}', 100)).toEqual(['{"output":{"a": 1.0},"metrics":{"n":1}}'])
  })

  it('keeps the order where items of an array are themselves too large', () => {
    const whole = ['a', 'x'.repeat(100), 'b']
    const parts = outputs(splitChunk(JSON.stringify(whole), undefined, 40))
    expect((parts as (string | string[])[]).flat().join('')).toBe(whole.join(''))
  })

  it('counts bytes as UTF-8 does', () => {
    fc.assert(
      fc.property(text, (whole) => {
        expect(utf8Bytes(whole)).toBe(Buffer.byteLength(whole))
      }),
      { numRuns: 200 },
    )
  })
})
