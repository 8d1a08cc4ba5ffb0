import { expect, test } from 'vitest'
import { jobAt } from '../../../../src-main/features/workers/rules/log-lines.ts'

const SPANS = [
  { jobId: 'a', from: 1000, to: 2000 },
  { jobId: 'b', from: 3000, to: 4000 },
  { jobId: 'c', from: 5000, to: undefined },
]

for (const [at, jobId, why] of [
  [999, undefined, 'before its first job'],
  [1000, 'a', 'at the start of a job'],
  [2000, 'a', 'at its end'],
  [2020, 'a', 'a moment after its end, where the engine noted it late'],
  [2021, undefined, 'between two jobs'],
  [3500, 'b', 'within the next one'],
  [9000, 'c', 'in a job that still runs'],
] as const) {
  test(`a line of ${at} ms belongs to ${jobId ?? 'no job'}: ${why}`, () => {
    expect(jobAt(SPANS, at)).toBe(jobId)
  })
}

test('a line between a job and the next one that has just begun belongs to the next one', () => {
  expect(jobAt([SPANS[0] ?? { jobId: '', from: 0 }, { jobId: 'b', from: 2005 }], 2006)).toBe('b')
})

test('of several jobs at once nobody can say whose a line is', () => {
  expect(jobAt([...SPANS, { jobId: 'd', from: 5500 }], 6000)).toBeUndefined()
})
