import { expect, test } from 'vitest'
import { ago, counted } from '../../src-main/lib/text.ts'
import { bytes, exactTime, shortDuration } from '../../src-renderer/ui/format.ts'

test.each([
  [0, 'just now'],
  [999, 'just now'],
  [1000, '1 s ago'],
  [14_900, '14 s ago'],
  [59_900, '59 s ago'],
  [60_000, '1 min ago'],
  [125_000, '2 min ago'],
  [3_599_999, '59 min ago'],
  [3_900_000, '1 h ago'],
  [86_399_999, '23 h ago'],
  [200_000_000, '2 d ago'],
  [-125_000, 'in 2 min 5 s'],
  [-3000, 'in 3 s'],
])('what was %d ms ago reads %s', (ms, text) => {
  expect(ago(1_790_000_000_000 - ms, 1_790_000_000_000)).toBe(text)
})

test.each([
  [320, '320 ms'],
  [59_999, '1 min'],
  [400_000, '6.7 min'],
  [3_599_000, '1 h'],
  [3_540_000, '59 min'],
  [86_340_000, '1 d'],
  [7_200_000, '2 h'],
  [1_000_000_000, '12 d'],
])('in a narrow column %d ms read %s', (ms, text) => {
  expect(shortDuration(ms)).toBe(text)
})

test.each([
  [0, '0 B'],
  [820, '820 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [1_468_006, '1.4 MiB'],
  [10_485_760, '10 MiB'],
  [1024 ** 5, '1024 TiB'],
])('%d bytes read %s', (size, text) => {
  expect(bytes(size)).toBe(text)
})

test('a number stands with its noun', () => {
  expect([counted(0, 'job'), counted(1, 'job'), counted(1204, 'job')]).toEqual(['0 jobs', '1 job', '1,204 jobs'])
})

test('an exact moment has the date, the time and ms', () => {
  expect(exactTime(1_790_000_000_120)).toMatch(/^2026-09-2\d \d\d:\d\d:20\.120$/)
})
