import { describe, expect, it } from 'vitest'
import { limit } from '../../../../src-main/contract/limits.ts'
import { readTrace } from '../../../../src-main/features/what-if/rules/read-trace.ts'

describe('a trace', () => {
  it('is read in the order of its times, with what lines leave out', () => {
    const text =
      '{"at": 500, "executionMs": 20}\n\n{"at": 0, "lowPriority": true, "priority": -5, "lostAfterMs": [10]}\r\n'
    expect(readTrace(text)).toEqual([
      { at: 0, executionMs: undefined, lowPriority: true, priority: -5, lostAfterMs: [10] },
      { at: 500, executionMs: 20, lowPriority: false, priority: 0, lostAfterMs: [] },
    ])
  })

  it('may be an export of jobs', () => {
    const line = { id: 'j', status: 'COMPLETED', createdAt: 1_700_000_000_000, executionTime: 12, input: { a: 1 } }
    expect(readTrace(JSON.stringify(line))).toEqual([
      { at: 1_700_000_000_000, executionMs: 12, lowPriority: false, priority: 0, lostAfterMs: [] },
    ])
    expect(readTrace('{"at": "2026-01-31T09:00:00Z"}')).toMatchObject([{ at: Date.UTC(2026, 0, 31, 9) }])
  })

  it.each([
    ['', 'has no jobs'],
    ['\n\n', 'has no jobs'],
    ['{"at": 1}\nx', 'line 2 is not JSON'],
    ['[1]', 'line 1 is not a JSON object'],
    ['null', 'line 1 is not a JSON object'],
    ['{}', 'line 1 needs "at"'],
    ['{"at": -1}', 'line 1 needs "at"'],
    ['{"at": "soon"}', 'line 1 needs "at"'],
    ['{"at": 1e300}', 'line 1 needs "at"'],
    ['{"at": 1, "executionMs": "x"}', 'line 1 has an "executionMs"'],
    ['{"at": 1, "executionMs": -1}', 'line 1 has an "executionMs"'],
    [`{"at": 1, "executionMs": ${limit('executionTimeoutMaxMs') + 1}}`, 'line 1 has an "executionMs"'],
    ['{"at": 1, "lostAfterMs": 3}', 'line 1 has a "lostAfterMs"'],
    [`{"at": 1, "lostAfterMs": [${Array(11).fill(1)}]}`, 'line 1 has a "lostAfterMs"'],
    ['{"at": 1, "priority": 101}', 'line 1 has a "priority"'],
    ['{"at": 1, "priority": "high"}', 'line 1 has a "priority"'],
    ['{"__proto__": {"at": 1}}', 'line 1 needs "at"'],
  ])('that is %j is refused with what is wrong', (text, problem) => {
    expect(readTrace(text)).toMatchObject({ problem: expect.stringContaining(problem) })
  })

  it('has at most so many jobs', () => {
    const lines = (count: number) => '{"at":1}\n'.repeat(count)
    expect(readTrace(lines(limit('whatIfJobs')))).toHaveLength(limit('whatIfJobs'))
    expect(readTrace(lines(limit('whatIfJobs') + 1))).toMatchObject({ problem: expect.stringContaining('more than') })
  })
})
