import { expect, test } from 'vitest'
import { otherJobsOf, otherJobsText } from '../../../../src-main/features/workers/rules/shared-workers.ts'

const workers = [{ jobs: ['a', 'b', 'c'] }, { jobs: ['d'] }, { jobs: ['e', 'f'] }, { jobs: [] }]

test.each([
  ['one of three', ['a'], ['b', 'c']],
  ['all jobs of a worker', ['a', 'b', 'c'], []],
  ['the only job of a worker', ['d'], []],
  ['jobs of two workers', ['c', 'd', 'e'], ['a', 'b', 'f']],
  ['a job that waits', ['z'], []],
])('the other jobs of the workers of %s', (_cancelled, cancelled, others) => {
  expect(otherJobsOf(workers, new Set(cancelled))).toEqual(others)
})

test('are named before jobs are cancelled', () => {
  const one = 'If the handler does not stop in time, the worker ends and'
  expect(otherJobsText(1)).toBe(`This worker also runs 1 other job. ${one} that job starts again.`)
  expect(otherJobsText(3)).toBe(`This worker also runs 3 other jobs. ${one} those jobs start again.`)
  expect(otherJobsText(2, 4)).toBe(
    'Their workers also run 2 other jobs. If a handler does not stop in time, its worker ends and its other jobs start again.',
  )
})
