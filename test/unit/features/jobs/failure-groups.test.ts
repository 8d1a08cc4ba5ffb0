import { expect, test } from 'vitest'
import {
  createFailureGroups,
  type Failure,
  failurePattern,
} from '../../../../src-main/features/jobs/rules/failure-groups.ts'

const groupFailures = (failures: readonly Failure[]) => {
  const groups = createFailureGroups()
  for (const failure of failures) groups.add(failure)
  return groups.all()
}

test.each([
  ['could not decode image 17', 'could not decode image #'],
  ['could not decode img_0042.png', 'could not decode img_#.png'],
  ['no object 3f2504e0-4f89-11d3-9a0c-0305e82c3301-u1 in the bucket', 'no object # in the bucket'],
  ['worker 9f8e7d6c5b4a ended at 0x7ffe12', 'worker # ended at #'],
  ['at 12:04:51 it took 1.25 s', 'at # it took # s'],
  ['429: Too many requests, try in 3 s', '429: Too many requests, try in # s'],
  ['HTTP 503 from host 7, status code: 12', 'HTTP 503 from host #, status code: 12'],
  ['no face in the picture', 'no face in the picture'],
  ['a file of that deadbeef name', 'a file of that deadbeef name'],
])('%j has the pattern %j', (reason, pattern) => {
  expect(failurePattern(reason)).toBe(pattern)
})

test('failures with the same pattern are one group, the most frequent first', () => {
  const failures = [1, 2, 3].map((n) => ({ reason: `could not decode image ${n}`, count: 1, jobId: `job-${n}` }))
  const others = ['a', 'b', 'c', 'd'].map((jobId) => ({ reason: 'HTTP 503', count: 1, jobId }))
  expect(groupFailures([...failures, ...others, { reason: 'line 3 is no JSON', count: 2 }])).toEqual([
    { reason: 'HTTP 503', count: 4, jobId: 'a' },
    { reason: 'could not decode image #', count: 3, jobId: 'job-1' },
    { reason: 'line 3 is no JSON', count: 2 },
  ])
})

test('failures without a job stay apart', () => {
  expect(
    groupFailures([
      { reason: 'too large: 3', count: 1, jobId: 'a' },
      { reason: 'too large: 4', count: 1 },
    ]),
  ).toEqual([
    { reason: 'too large: 3', count: 1, jobId: 'a' },
    { reason: 'too large: 4', count: 1 },
  ])
})
