import { describe, expect, test } from 'vitest'
import type { JobState } from '../../src-main/contract/job.ts'
import type { JobHistoryEntry } from '../../src-main/contract/management.ts'
import { diffJson } from '../../src-renderer/features/jobs/DifferenceTable.tsx'
import {
  bodyOf,
  isEmptyFilter,
  queryOf,
  readFilter,
  writeFilter,
} from '../../src-renderer/features/jobs/list/job-list-filter.ts'
import { attemptsOf, layTimeline, spanText, stepText } from '../../src-renderer/features/jobs/page/lay-timeline.ts'
import { findTable } from '../../src-renderer/ui/output/OutputView.tsx'
import { NOW } from './support.tsx'

const entry = (at: number, event: string, to: JobState, more: Partial<JobHistoryEntry> = {}): JobHistoryEntry => ({
  at,
  event,
  to,
  attempt: 0,
  ...more,
})

describe('the filter of an address', () => {
  test.each([
    ['', { states: [] }],
    ['status=FAILED,IN_QUEUE', { states: ['IN_QUEUE', 'FAILED'] }],
    ['status=NOPE', { states: [] }],
    ['endpoint=e&worker=w&q=a+b', { states: [], endpoint: 'e', worker: 'w', text: 'a b' }],
    ['since=1h', { states: [], since: '1h' }],
    ['since=2h&from=5&to=x', { states: [], from: 5 }],
  ])('%j is read as %j, and written as it was read', (text, filter) => {
    const read = readFilter(new URLSearchParams(text))
    expect(read).toEqual(filter)
    expect(readFilter(writeFilter(new URLSearchParams('tab=x&status=FAILED'), read))).toEqual(filter)
    expect(isEmptyFilter(read)).toBe(text === '' || text === 'status=NOPE')
  })

  test('leaves what else stands in the address', () => {
    expect(writeFilter(new URLSearchParams('tab=x&q=old'), { states: ['FAILED'] }).toString()).toBe(
      'tab=x&status=FAILED',
    )
  })

  test('with a span up to now asks for what was created since', () => {
    expect(queryOf({ states: [], since: '15m' }, NOW)).toMatchObject({ from: NOW - 900_000, to: undefined })
    expect(bodyOf({ states: ['FAILED'], text: 'x' }, ['FAILED'], '7', NOW)).toMatchObject({
      q: 'x',
      status: ['FAILED'],
      cursor: '7',
    })
  })
})

describe('the timeline of a job', () => {
  const history = [
    entry(0, 'submit', 'IN_QUEUE'),
    entry(10, 'claim', 'IN_PROGRESS', { attempt: 1, workerId: 'a' }),
    entry(20, 'progress', 'IN_PROGRESS', { attempt: 1 }),
    entry(30, 'progress', 'IN_PROGRESS', { attempt: 1 }),
    entry(40, 'rescue', 'IN_QUEUE', { attempt: 1, reason: 'worker a was lost' }),
    entry(50, 'claim', 'IN_PROGRESS', { attempt: 2, workerId: 'b' }),
    entry(90, 'fail', 'FAILED', { attempt: 2 }),
  ]

  test('is to scale: waiting and running in turn, up to its end', () => {
    const { from, to, spans } = layTimeline(history, 1000)
    expect({ from, to, spans }).toEqual({
      from: 0,
      to: 90,
      spans: [
        { state: 'IN_QUEUE', from: 0, to: 10 },
        { state: 'IN_PROGRESS', from: 10, to: 40 },
        { state: 'IN_QUEUE', from: 40, to: 50 },
        { state: 'IN_PROGRESS', from: 50, to: 90 },
      ],
    })
  })

  test('tells progress that comes in a row as one step', () => {
    const steps = layTimeline(history, 1000).steps.map(stepText)
    expect(steps).toEqual([
      'Queued',
      'Taken by a worker',
      'Progress, 2 times',
      'Worker lost, queued again',
      'Taken by a worker',
      'Failed',
    ])
  })

  test('of a job that continues ends now, and an end that a retry has followed lasted', () => {
    expect(layTimeline(history.slice(0, 2), 100).spans.at(-1)).toEqual({ state: 'IN_PROGRESS', from: 10, to: 100 })
    const retried = layTimeline([...history, entry(200, 'retry', 'IN_QUEUE')], 300)
    expect(retried.spans.slice(-2)).toEqual([
      { state: 'FAILED', from: 90, to: 200 },
      { state: 'IN_QUEUE', from: 200, to: 300 },
    ])
  })

  test('says of the last span of a job that continues how long it is running or waiting', () => {
    const texts = (count: number) => {
      const { spans, goesOn } = layTimeline(history.slice(0, count), 100)
      return spans.map((span) => spanText(span, goesOn && span === spans.at(-1)))
    }
    expect(texts(1)).toEqual(['waiting for 100 ms'])
    expect(texts(2)).toEqual(['waited 10 ms', 'running for 90 ms'])
    expect(texts(7)).toEqual(['waited 10 ms', 'ran 30 ms', 'waited 10 ms', 'ran 40 ms'])
  })

  test('of a job that ended at once, or of nothing, is a moment', () => {
    expect(layTimeline([], 5)).toEqual({ from: 5, to: 5, goesOn: false, spans: [], steps: [] })
    expect(layTimeline([entry(7, 'cancel', 'CANCELLED')], 9)).toMatchObject({ from: 7, to: 7, spans: [] })
  })

  test('has an attempt for each worker that took it', () => {
    expect(
      attemptsOf(history).map(({ number, workerId, from, to, end }) => [number, workerId, from, to, end?.event]),
    ).toEqual([
      [1, 'a', 10, 40, 'rescue'],
      [2, 'b', 50, 90, 'fail'],
    ])
    expect(attemptsOf(history.slice(0, 2))[0]).toMatchObject({ to: undefined, end: undefined })
  })
})

describe('two values', () => {
  test.each([
    [1, 1, []],
    [{ a: 1 }, { a: 1 }, []],
    [{ a: 1 }, { a: 2 }, [{ path: 'a', kind: 'changed', a: 1, b: 2 }]],
    [{ a: 1 }, {}, [{ path: 'a', kind: 'only in a', a: 1, b: undefined }]],
    [{}, { a: null }, [{ path: 'a', kind: 'only in b', a: undefined, b: null }]],
    [{ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }, [{ path: 'a[1].b', kind: 'changed', a: 2, b: 3 }]],
    [[1], [1, 2], [{ path: '[1]', kind: 'only in b', a: undefined, b: 2 }]],
    [{ a: [] }, { a: {} }, [{ path: 'a', kind: 'changed', a: [], b: {} }]],
    [undefined, 'x', [{ path: '', kind: 'only in b', a: undefined, b: 'x' }]],
    [{ toString: 1 }, {}, [{ path: 'toString', kind: 'only in a', a: 1, b: undefined }]],
  ])('%j and %j differ in %j', (a, b, found) => {
    expect(diffJson(a, b)).toEqual({ found, more: false })
  })

  test('that differ everywhere are looked through up to a bound', () => {
    const list = (add: number) => Array.from({ length: 1_000_000 }, (_item, at) => at + add)
    const { found, more } = diffJson(list(0), list(1))
    expect([found.length, more]).toEqual([500, true])
  })
})

describe('a list of flat objects', () => {
  const rows = [{ city: 'Oslo', count: 3 }, { city: 'Rome' }]

  test.each([
    [rows, ''],
    [{ ok: true, rows }, 'rows'],
  ])('in %j is found', (value, path) => {
    expect(findTable(value)).toEqual({ path, columns: ['city', 'count'], rows })
  })

  test.each([
    [undefined],
    [[1, 2]],
    [[{ a: 1 }]],
    [[{ a: {} }, { a: {} }]],
    [[{}, {}]],
    [[[1], [2]]],
    [{ x: { rows } }],
  ])('is not in %j', (value) => {
    expect(findTable(value)).toBe(undefined)
  })
})
