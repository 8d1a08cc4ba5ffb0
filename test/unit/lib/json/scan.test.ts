import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findKeyProblem, scanJson } from '../../../../src-main/lib/json/scan.ts'

const UNBOUND = { maxKeys: Number.POSITIVE_INFINITY, maxDepth: Number.POSITIVE_INFINITY }

function scan(text: string) {
  const found = scanJson(text, UNBOUND)
  if (typeof found === 'string') throw new Error(found)
  return found
}

// Objects with white space of all kinds, so that slices must be trimmed.
const spaced = fc
  .tuple(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), fc.constantFrom('', ' ', '\t', '\n ', '  '))
  .map(([value, space]) => ({ value, text: JSON.stringify(value, undefined, space) }))

const deepest = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(deepest)) : 0
const keysOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce(
        (sum: number, item) => sum + keysOf(item),
        Array.isArray(value) ? 0 : Object.keys(value).length,
      )
    : 0

describe('scanJson', () => {
  it('finds the text of every top-level field, the depth and the number of keys', () => {
    fc.assert(
      fc.property(spaced, ({ text }) => {
        const parsed = JSON.parse(text)
        const { fields, depth, keys } = scan(text)
        const slices = [...fields].map(([name, { start, end }]) => [name, JSON.parse(text.slice(start, end))])
        expect(Object.fromEntries(slices)).toEqual(parsed)
        expect({ depth, keys }).toEqual({ depth: deepest(parsed), keys: keysOf(parsed) })
        expect(slices.length).toBe(Object.keys(parsed).length)
      }),
      { numRuns: 300 },
    )
  })

  it('gives slices without white space around them', () => {
    const text = ' { "a" : \t[1, 2] \n, "b":  "x" } '
    expect([...scan(text).fields.values()].map(({ start, end }) => text.slice(start, end))).toEqual(['[1, 2]', '"x"'])
  })

  it('stops at a bound that is passed, not at it', () => {
    expect(scanJson('[[[]]]', { maxKeys: 1, maxDepth: 3 })).toMatchObject({ depth: 3 })
    expect(scanJson('[[[]]]', { maxKeys: 1, maxDepth: 2 })).toBe('too-deep')
    expect(scanJson('{"a":1,"b":2}', { maxKeys: 2, maxDepth: 9 })).toMatchObject({ keys: 2 })
    expect(scanJson('{"a":1,"b":2}', { maxKeys: 1, maxDepth: 9 })).toBe('too-many-keys')
  })

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', 'a', '1', ' ') }),
        (text) => {
          scanJson(text, { maxKeys: 100, maxDepth: 100 })
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe('findKeyFault', () => {
  const faultOf = (text: string) => findKeyProblem(text, JSON.parse(text), scan(text).keys)

  it('finds nothing in what JSON.stringify wrote', () => {
    fc.assert(
      fc.property(spaced, ({ text }) => {
        if (!text.includes('__proto__')) expect(faultOf(text)).toBe(undefined)
      }),
      { numRuns: 200 },
    )
  })

  it('finds a repeated key wherever it stands', () => {
    const key = fc.string().filter((name) => name !== '__proto__')
    fc.assert(
      fc.property(key, fc.jsonValue(), fc.nat(5), fc.boolean(), (name, value, depth, inList) => {
        const twice = `{${JSON.stringify(name)}:1,"other value":2,${JSON.stringify(name)}:${JSON.stringify(value)}}`
        let text = twice
        for (let n = 0; n < depth; n++) text = inList ? `[${text}]` : `{"in":${text}}`
        expect(faultOf(`{"input":${text}}`)).toEqual({
          kind: JSON.stringify(value).includes('"__proto__":') ? expect.any(String) : 'duplicate-key',
          key: expect.any(String),
        })
      }),
      { numRuns: 200 },
    )
  })

  it('takes a key of two objects for two keys, and one with escapes for the same', () => {
    expect(faultOf('{"a":{"b":1},"c":[{"b":1},{"b":2}]}')).toBe(undefined)
    expect(faultOf('{"a":1,"\\u0061":2}')).toEqual({ kind: 'duplicate-key', key: 'a' })
    expect(faultOf('{"a":{"b":1,"b":2}}')).toEqual({ kind: 'duplicate-key', key: 'b' })
  })

  it('finds __proto__ as a key, however it is written, and not as a value', () => {
    for (const key of ['__proto__', '\\u005f_proto__', '__prot\\u006f__'])
      expect(faultOf(`{"a":[{"${key}":1}]}`)).toEqual({ kind: 'forbidden-key', key: '__proto__' })
    expect(faultOf('{"a":"__proto__","b":"{\\"__proto__\\":1}"}')).toBe(undefined)
  })
})
