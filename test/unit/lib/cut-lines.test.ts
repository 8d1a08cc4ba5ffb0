import { expect, test } from 'vitest'
import { cutLines } from '../../../src-main/lib/text.ts'
import { cpuOf } from '../../support/main-thread.ts'

test('lines come when they have ended, however the text is cut into pieces', () => {
  const lines = cutLines()
  expect(['one\ntw', '', 'o\n\nthr', 'ee\nfour'].map(lines.take)).toEqual([['one'], [], ['two', ''], ['three']])
  expect(lines.rest()).toBe('four')
})

test('of a line that does not end, no more than the most is held', () => {
  const lines = cutLines(4)
  expect(lines.take('123456')).toEqual([])
  expect(lines.rest()).toBe('1234')
  expect(lines.take('789\nnext\n')).toEqual(['1234789', 'next'])
})

test('a line that does not end is not gone through again with each piece of it', () => {
  const piece = 'x'.repeat(64 * 1024)
  const pieces = 400
  const whole = piece.repeat(pieces)
  const once = cpuOf(() => whole.split('\n'))
  const lines = cutLines()
  const all = cpuOf(() => {
    for (let count = 0; count < pieces; count += 1) lines.take(piece)
  })
  expect(lines.rest() === whole).toBe(true)
  // Each time anew it would be two hundred times as long.
  expect(all).toBeLessThan(20 * once + 100)
})
