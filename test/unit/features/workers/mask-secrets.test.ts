import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMask } from '../../../../src-main/features/workers/rules/log-lines.ts'

test('a secret is hidden wherever it stands', () => {
  expect(createMask(['hunter22'])('a hunter22 and hunter22b')).toBe('a *** and ***b')
})

test('each line of a secret with several is hidden, and short ones are left', () => {
  const mask = createMask(['-----BEGIN\nMIIEvQ\nab\n-----END'])
  expect(['-----BEGIN', 'MIIEvQ', 'ab', '-----END'].map(mask)).toEqual(['***', '***', 'ab', '***'])
})

test('of two secrets where one holds the other nothing is left', () => {
  expect(createMask(['secret', 'secret-and-more'])('x secret-and-more')).toBe('x ***')
})

test('without secrets a line is as it was', () => {
  expect(createMask([])('hello')).toBe('hello')
})

test('a secret that reads like a pattern is masked as text', () => {
  expect(createMask(['a.c$&(b)+'])('abc a.c$&(b)+')).toBe('abc ***')
})

test('no line holds a secret of six characters or more', () => {
  const secret = fc
    .string({ minLength: 6, maxLength: 20 })
    .filter((text) => text.trim() === text && !/[\r\n]/.test(text) && !text.includes('*'))
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
      fc.pre(value.length >= 6)
      expect(createMask([value])(`${before}${value}${after}`)).not.toContain(value)
    }),
  )
})
