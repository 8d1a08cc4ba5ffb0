import { expect, test } from 'vitest'
import { cutLines } from '../../../src-main/domain/text.ts'

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
