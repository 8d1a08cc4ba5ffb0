import fc from 'fast-check'
import { expect, test } from 'vitest'
import { comparePaths, fingerprintFrame } from '../../../../src-main/features/apps/rules/manifest.ts'

test('a frame is length, path, length; lengths as eight bytes, the largest first', () => {
  const frame = fingerprintFrame(new TextEncoder().encode('ä.py'), 258)
  expect([...frame]).toEqual([0, 0, 0, 0, 0, 0, 0, 5, 0xc3, 0xa4, 0x2e, 0x70, 0x79, 0, 0, 0, 0, 0, 0, 1, 2])
})

test('paths are in the order of their UTF-8 bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      const bytes = Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      expect(Math.sign(comparePaths(a, b))).toBe(bytes)
    }),
  )
  expect(['z', '\u{1F600}', '\uFF5E', 'a/b', 'a.py', 'a'].sort(comparePaths)).toEqual([
    'a',
    'a.py',
    'a/b',
    'z',
    '\uFF5E',
    '\u{1F600}',
  ])
})
