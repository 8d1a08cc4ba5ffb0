import { describe, expect, it } from 'vitest'
import { mayRepeat, nextTry } from '../../../../src-main/features/load-balancing/rules/choose-worker.ts'

describe('another try', () => {
  it('is harmless of requests that only read and have no body', () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'TRACE']) expect(mayRepeat(method, false)).toBe(true)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) expect(mayRepeat(method, false)).toBe(false)
    expect(mayRepeat('GET', true)).toBe(false)
  })

  for (const [failure, repeatable, next] of [
    ['refused', true, 'another worker, which may still have to start'],
    ['refused', false, 'another worker, which may still have to start'],
    ['stale', true, 'any'],
    ['stale', false, 'none'],
    ['broken', true, 'another running worker'],
    ['broken', false, 'none'],
  ] as const) {
    it(`after a ${failure} connection, ${repeatable ? '' : 'not '}repeatable: ${next}`, () => {
      expect(nextTry(failure, { tries: 1, repeatable, isStrict: false })).toBe(next)
      expect(nextTry(failure, { tries: 3, repeatable, isStrict: false })).toBe('none')
    })
  }

  it('of a strict request goes to the same worker only', () => {
    const at = { tries: 1, repeatable: true, isStrict: true }
    expect([nextTry('stale', at), nextTry('refused', at), nextTry('broken', at)]).toEqual(['any', 'none', 'none'])
  })
})
