import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readReport } from '../../../src-main/features/jobs/rules/report.ts'
import { bodyText, foldedText } from '../../../src-main/http/body-text.ts'
import { rawFields } from '../../../src-main/lib/json/scan.ts'
import { jsonText } from '../../../src-main/lib/json/text.ts'

const LONG = 'a long one '.repeat(10_000)

const parses = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

// Long strings at places of all kinds, plain and not, and short ones; spaces shift them against words of 4 bytes.
const string = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc
    .tuple(fc.constantFrom(LONG, `${LONG}é😀`, `${LONG}\n`, `"${LONG}"`, `${LONG}\\`), fc.string({ maxLength: 5 }))
    .map(([long, end]) => long + end),
)
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, string, fc.integer(), fc.constant(null), tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.dictionary(string, tie('value'), { maxKeys: 3 }),
}))
const body = fc.dictionary(string, value, { maxKeys: 4 })

describe('a folded body', () => {
  it('gives each field as it came', () => {
    fc.assert(
      fc.property(body, fc.constantFrom('', ' ', '\n\t'), (object, space) => {
        const bytes = Buffer.from(JSON.stringify(object, undefined, space))
        const { scanned, cut } = foldedText(bytes)
        const field = rawFields(scanned, cut)
        for (const [name, given] of Object.entries(object)) {
          // Names are looked up as they are scanned; those that the service asks for are ASCII.
          if (!/^[\x20-\x7e]*$/.test(name)) continue
          expect(JSON.parse(jsonText(field(name) ?? ''))).toEqual(given)
        }
      }),
      { numRuns: 100 },
    )
  })

  it('is valid exactly where the whole is, wherever a byte is put in', () => {
    fc.assert(
      fc.property(body, fc.nat(), fc.nat({ max: 127 }), (object, at, byte) => {
        const bytes = Buffer.from(JSON.stringify(object))
        bytes[at % bytes.length] = byte
        expect(parses(foldedText(bytes).text)).toBe(parses(bytes.toString()))
      }),
      { numRuns: 300 },
    )
  })

  it('holds no long plain value, and keeps long keys and all else', () => {
    const object = { [LONG]: 1, a: LONG, b: [LONG, { c: LONG }, `${LONG}\t`], d: 'short' }
    const folded = { ...object, a: '', b: ['', { c: '' }, `${LONG}\t`] }
    expect(JSON.parse(foldedText(Buffer.from(JSON.stringify(object))).text)).toEqual(folded)
  })

  for (let control = 0; control < 32; control++) {
    it(`is refused for the control character ${control} in a long string, wherever it stands`, () => {
      for (let at = 0; at < 9; at++) {
        const text = `["${'é'.repeat(at)}${String.fromCharCode(control)}${LONG}${' '.repeat(at)}"]`
        expect(parses(foldedText(Buffer.from(text)).text)).toBe(false)
        const end = `["${LONG}${'a'.repeat(at)}${String.fromCharCode(control)}"]`
        expect(parses(foldedText(Buffer.from(end)).text)).toBe(false)
      }
    })
  }

  it('of a report means what the whole report means', () => {
    for (const report of [
      { output: LONG },
      { output: { text: LONG } },
      { error: LONG },
      { error: LONG, output: { text: LONG } },
      { output: { error: LONG, text: LONG } },
      { output: { error: '', text: LONG } },
      { status: 'IN_PROGRESS', output: LONG },
    ]) {
      const bytes = Buffer.from(JSON.stringify(report))
      expect(readReport(foldedText(bytes))).toEqual(readReport(bodyText(bytes)))
    }
  })
})
