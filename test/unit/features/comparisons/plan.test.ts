import { describe, expect, it } from 'vitest'
import { limit } from '../../../../src-main/contract/limits.ts'
import {
  nextStep,
  readItems,
  type VersionCounts,
  waitsOf,
  withValues,
} from '../../../../src-main/features/comparisons/rules/plan.ts'

const NAMES = ['v1', 'v2', 'v3', 'v4', 'v5', 'v6', 'v7', 'v8']
const SAME = { same: 200, differs: 0, failed: 0 }
const DIFFERS = { same: 190, differs: 10, failed: 0 }

function bisect(first: number) {
  const counts = new Map<number, VersionCounts>()
  for (;;) {
    const step = nextStep({ mode: 'bisect', versions: NAMES, items: 200, counts })
    if ('verdict' in step) return step
    for (const at of step.run) counts.set(at, at >= first ? DIFFERS : SAME)
  }
}

describe('a bisection', () => {
  it.each([1, 2, 3, 4, 5, 6, 7])('of eight versions finds that number %d is the first in three rounds', (first) => {
    expect(bisect(first)).toMatchObject({ verdict: { result: 'differs', firstDiffering: first } })
    expect(bisect(first).rounds).toHaveLength(3)
  })

  it('says that none differs', () => {
    expect(bisect(8)).toMatchObject({ verdict: { result: 'same' }, rounds: [4, 6, 7] })
  })

  it('judges no version whose outputs could not be compared', () => {
    const counts = new Map([[4, { same: 199, differs: 0, failed: 1 }]])
    expect(nextStep({ mode: 'bisect', versions: NAMES, items: 200, counts })).toMatchObject({
      verdict: { result: 'incomplete', text: expect.stringContaining('v5') },
    })
  })
})

it('a comparison says once for each endpoint why its jobs wait, and nothing of one that has ended', () => {
  const counts = { same: 0, differs: 0, failed: 0 }
  const versions = [
    { ...counts, name: 'old', endpoint: 'old', ended: 3 },
    { ...counts, name: 'new', endpoint: 'new', ended: 0 },
    { ...counts, name: 'new with cfg=7', endpoint: 'new', ended: 0 },
    { ...counts, name: 'image', endpoint: 'old', copy: 'compare-1', ended: 1 },
    { ...counts, name: 'quick', endpoint: 'quick', ended: 2 },
  ]
  const reasons: Readonly<Record<string, string>> = {
    old: 'busy',
    new: 'No worker runs.',
    'compare-1': 'It is paused.',
  }
  expect(waitsOf({ versions, items: 3 }, (id) => reasons[id])).toEqual([
    'new waits: No worker runs.',
    'compare-1 waits: It is paused.',
  ])
})

it('a comparison runs all others, and continues with those that have not ended', () => {
  const course = { mode: 'compare', versions: NAMES.slice(0, 3), items: 200 } as const
  expect(nextStep({ ...course, counts: new Map() })).toMatchObject({ run: [1, 2] })
  expect(nextStep({ ...course, counts: new Map([[1, SAME]]) })).toMatchObject({ run: [2] })
  expect(
    nextStep({
      ...course,
      counts: new Map([
        [1, SAME],
        [2, SAME],
      ]),
    }),
  ).toMatchObject({ verdict: { result: 'same' } })
  expect(
    nextStep({
      ...course,
      counts: new Map([
        [1, SAME],
        [2, { same: 187, differs: 10, failed: 3 }],
      ]),
    }),
  ).toMatchObject({
    verdict: { result: 'differs', text: '10 of 400 outputs differ on 1 of 2 versions; 3 could not be compared.' },
  })
  const failed = { same: 199, differs: 0, failed: 1 }
  expect(
    nextStep({
      ...course,
      counts: new Map([
        [1, SAME],
        [2, failed],
      ]),
    }),
  ).toMatchObject({
    verdict: { result: 'incomplete' },
  })
})

describe('a file of inputs', () => {
  it('is lines of requests, of an export, or an exported job, whose inputs stay as they came', () => {
    const text =
      '{"input":{"seed":12345678901234567890,"x":1.0}}\n\n{"drydock":"job","format":1}\n{"id":"j-l1","input":{}}\n{"n":1.0}'
    expect(readItems(text)).toEqual([
      { source: 'line 1', input: '{"seed":12345678901234567890,"x":1.0}' },
      { source: 'j-l1', input: '{}' },
      { source: 'line 5', input: '{"n":1.0}' },
    ])
  })

  it.each([
    ['', 'has no inputs. Each line is a JSON object'],
    ['{"input":{}}\n{"input":', 'line 2 is not JSON: {"input":'],
    ['[1]', 'line 1 is not a JSON object: [1]'],
    ['{"input":[]}', 'line 1 has an `input` that is not an object'],
    [`{"input":{"a":${'['.repeat(2000)}`, 'line 1 is nested too deep'],
  ])('that is broken is refused by its line: %s', (text, problem) => {
    expect(readItems(text)).toEqual({ problem })
  })

  it('holds so many inputs and no more', () => {
    const lines = (count: number) => '{"input":{}}\n'.repeat(count)
    for (const count of [limit('comparisonItems') - 1, limit('comparisonItems')])
      expect(readItems(lines(count))).toHaveLength(count)
    expect(readItems(lines(limit('comparisonItems') + 1))).toEqual({ problem: expect.stringContaining('more than') })
  })
})

describe('values of a version', () => {
  it('are written into the input, which keeps its digits', () => {
    expect(withValues('{"seed":12345678901234567890,"x":1.0,"p":"a"}', { p: '7', x: '2.50' })).toBe(
      '{"seed":12345678901234567890,"x":2.50,"p":"7"}',
    )
    expect(withValues('{"a":{"b":1}}', { 'a.b': '[2]', 'a.c': 'word' })).toBe('{"a":{"b":[2],"c":"word"}}')
  })

  it('go to the nodes of a graph', () => {
    const input = '{"workflow":{"3":{"class_type":"KSampler","inputs":{"cfg":8.0}}}}'
    expect(withValues(input, { '3.cfg': '7' })).toContain('"inputs":{"cfg":7}')
  })

  it('that have no place are a problem', () => {
    expect(withValues('{"a":1}', { 'a.b': '1' })).toEqual({ problem: 'its input has no place for a.b' })
  })
})
