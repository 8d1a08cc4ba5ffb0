import { describe, expect, test } from 'vitest'
import type { GraphParameter } from '../../../../../src-main/contract/published.ts'
import { readAxis } from '../../../../../src-main/features/workflows/rules/publish/sweep.ts'
import { writeJson } from '../../../../../src-main/lib/json/value.ts'

const parameter = (type: GraphParameter['type'], more: Partial<GraphParameter> = {}): GraphParameter => {
  return { name: 'x', node: '3', input: 'x', type, ...more }
}

describe('the values of an axis', () => {
  test.each([
    ['integer', '1..3', '[1,2,3]'],
    ['integer', '18446744073709551615, 7', '[18446744073709551615,7]'],
    ['number', '0.5..1 step 0.25', '[0.5,0.75,1]'],
    ['string', 'a lamp, at night\n\n a boat ', '["a lamp, at night","a boat"]'],
    ['boolean', 'true,false', '[true,false]'],
  ] as const)('of kind %s in %j are %s', (type, text, values) => {
    const read = readAxis({ parameter: parameter(type), text })
    expect('axis' in read && writeJson(read.axis.values)).toBe(values)
  })

  test.each([
    [parameter('integer', { max: '5' }), '1..9', 'A value is 6, but the maximum is 5.'],
    [parameter('integer'), '1.5', 'A value is 1.5, but must be a whole number.'],
    [parameter('integer'), '0..1000', 'The range has 1001 values, and the limit is 200.'],
    [parameter('choice', { choices: ['euler'] }), 'heun', 'A value is "heun", but must be one of euler.'],
    [parameter('string'), ' \n', 'Give values for x (x of node 3).'],
  ])('%j does not take %j', (given, text, why) => {
    expect(readAxis({ parameter: given, text })).toEqual({ why })
  })
})
