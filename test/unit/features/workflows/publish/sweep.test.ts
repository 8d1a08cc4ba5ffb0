import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  rangeValues,
  type SweepAxis,
  sweepCount,
  sweepRuns,
} from '../../../../../src-main/features/workflows/rules/publish/sweep.ts'
import { writeJson } from '../../../../../src-main/lib/json/value.ts'
import { json, objectOf } from '../../../../support/workflow-files.ts'

const PAYLOAD = objectOf('{"3": {"class_type": "KSampler", "inputs": {"seed": 1, "cfg": 7.0}}}')
const axis = (name: string, ...values: unknown[]): SweepAxis => {
  return { node: '3', input: name, name, values: values.map(json) }
}

test('a grid has each combination, the last axis changing first, and each run says what it is', () => {
  const runs = sweepRuns(PAYLOAD, [axis('seed', 1, 2), axis('cfg', 5, 6, 7)], 'grid')
  expect(runs.map(({ label }) => label)).toEqual([
    'seed 1, cfg 5',
    'seed 1, cfg 6',
    'seed 1, cfg 7',
    'seed 2, cfg 5',
    'seed 2, cfg 6',
    'seed 2, cfg 7',
  ])
  expect(runs[4]?.cell).toEqual({
    kind: 'grid',
    axes: [
      { name: 'seed', text: '2', at: 1 },
      { name: 'cfg', text: '6', at: 1 },
    ],
  })
  expect(writeJson(runs[4]?.payload ?? null)).toBe('{"3":{"class_type":"KSampler","inputs":{"seed":2,"cfg":6}}}')
})

test('pairs end with the shorter list', () => {
  const axes = [axis('seed', 1, 2, 3), axis('cfg', 5, 6)]
  expect(sweepRuns(PAYLOAD, axes, 'pairs').map(({ label }) => label)).toEqual(['seed 1, cfg 5', 'seed 2, cfg 6'])
  expect(sweepCount([], 'grid')).toBe(0)
})

describe('a range', () => {
  test.each([
    ['1..4', '1 2 3 4'],
    ['4..1', '4 3 2 1'],
    ['0.5..1 step 0.25', '0.5 0.75 1'],
    ['0..1 step 0.1', '0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1'],
    ['-0.1..0.1 step 0.1', '-0.1 0 0.1'],
    ['18446744073709551613..18446744073709551615', '18446744073709551613 18446744073709551614 18446744073709551615'],
    ['1..10 step 4', '1 5 9'],
  ])('%s has the values %s', (text, values) => {
    const range = rangeValues(text, 100)
    expect('values' in range && range.values.map((value) => writeJson(value)).join(' ')).toBe(values)
  })

  test.each([
    ['abc', 'write a range like 1..10 or 0.5..1 step 0.1'],
    ['1...2', 'its ends and its step must be numbers'],
    ['1..5 step 0', 'its step must not be 0'],
    ['1..5 step -1', 'its step leads away from its end'],
    ['0..18446744073709551615', 'has 18446744073709551616 values, and the limit is 100'],
  ])('%s is refused: %s', (text, why) => {
    expect(rangeValues(text, 100)).toEqual({ why })
  })

  test('of whole numbers counts them all', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 64n), 2n ** 64n), fc.integer({ min: 0, max: 50 }), (first, more) => {
        const range = rangeValues(`${first}..${first + BigInt(more)}`, 100)
        expect('values' in range && range.values).toHaveLength(more + 1)
      }),
    )
  })
})
