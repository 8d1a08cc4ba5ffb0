import { expect, test } from 'vitest'
import { durationText, exactSpan, readSpan } from '../../../src-main/lib/text.ts'

test.each([
  [0, '0 ms'],
  [999.4, '999 ms'],
  [1000, '1.0 s'],
  [1449, '1.4 s'],
  [9949, '9.9 s'],
  [9950, '10 s'],
  [59_499, '59 s'],
  [59_500, '1 min'],
  [125_000, '2 min 5 s'],
  [3_600_000, '1 h'],
  [11_040_000, '3 h 4 min'],
  [86_400_000, '1 d'],
  [183_600_000, '2 d 3 h'],
])('a span of %d ms reads %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})

test.each([
  ['30s', 30_000],
  ['1m', 60_000],
  ['15min', 900_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['500ms', 500],
  ['1.5 h', 5_400_000],
  ['1h30m', 5_400_000],
  [' 2 min 5 s ', 125_000],
  ['90', undefined],
  ['', undefined],
  ['5x', undefined],
  ['-1s', undefined],
  ['1s and more', undefined],
])('the span %j has %d ms', (text, ms) => {
  expect(readSpan(text)).toBe(ms)
})

test('a number alone is a span only where it has a unit by agreement', () => {
  expect(readSpan('90', 's')).toBe(90_000)
  expect(readSpan('2m', 's')).toBe(120_000)
})

test.each([1, 500, 1000, 30_000, 60_000, 90_000, 5_400_000, 131_101_001])(
  'a span of %d ms that was set is printed so that it is read back',
  (ms) => {
    expect(readSpan(exactSpan(ms))).toBe(ms)
  },
)

test('a span that was set is printed without figures that say nothing', () => {
  expect([500, 1000, 1200, 30_000, 5_400_000].map(exactSpan)).toEqual(['500 ms', '1 s', '1.2 s', '30 s', '1 h 30 min'])
})
