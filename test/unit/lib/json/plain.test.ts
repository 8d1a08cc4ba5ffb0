import { expect, test } from 'vitest'
import { parseExact, writeExact } from '../../../../src-main/lib/json/plain.ts'

test.each([
  '18446744073709551615',
  '-9007199254740993',
  '[1,9007199254740993,0.1,"12345678901234567890"]',
  '{"a":{"seed":18446744073709551615,"more":[{"seed":9007199254740993}]}}',
])('%s is written as it was read', (text) => {
  expect(writeExact(parseExact(text))).toBe(text)
})

test('a number that is not rounded stays a number, as do fractions and powers', () => {
  expect(parseExact('[9007199254740991,1000000000000000000000,1e21,0.1234567890123456789,-0]')).toEqual([
    9007199254740991,
    1000000000000000000000n,
    1e21,
    0.12345678901234568,
    -0,
  ])
})

test('a value written with an indent is laid out as usual', () => {
  expect(writeExact({ input: { seed: 18446744073709551615n } }, 2)).toBe(
    '{\n  "input": {\n    "seed": 18446744073709551615\n  }\n}',
  )
})

test('a text that is no JSON is refused', () => {
  expect(() => parseExact('{"seed":18446744073709551615,}')).toThrow(SyntaxError)
})
