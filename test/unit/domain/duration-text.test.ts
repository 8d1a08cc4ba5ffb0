import { expect, test } from 'vitest'
import { durationText } from '../../../src-main/domain/text.ts'

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
