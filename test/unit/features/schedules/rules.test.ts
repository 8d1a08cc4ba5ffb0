import { describe, expect, test } from 'vitest'
import { dueTimes, nextTime, timesAfter, timingProblem } from '../../../../src-main/features/schedules/rules.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../src-main/lib/units.ts'

const NOW = Date.UTC(2026, 2, 28) // the day before summer time begins in Berlin
const at = (text: string) => Date.parse(text)
const texts = (times: readonly number[]) => times.map((time) => new Date(time).toISOString())
const cron = (pattern: string, timeZone = 'UTC') => ({ cron: pattern, timeZone, createdAt: NOW })

describe('the next times', () => {
  test('of a pattern are those of its time zone', () => {
    expect(texts(timesAfter(cron('0 3 * * *', 'Europe/Berlin'), NOW, 2))).toEqual([
      '2026-03-28T02:00:00.000Z',
      '2026-03-29T01:00:00.000Z',
    ])
    expect(texts(timesAfter(cron('*/20 * * * * *'), NOW, 2))).toEqual([
      '2026-03-28T00:00:20.000Z',
      '2026-03-28T00:00:40.000Z',
    ])
    expect(texts(timesAfter(cron('@daily', 'America/New_York'), NOW, 1))).toEqual(['2026-03-28T04:00:00.000Z'])
  })

  test('that a day of summer time lacks come as soon as there is one, and those it has twice come once', () => {
    const half = cron('30 2 * * *', 'Europe/Berlin')
    expect(texts(timesAfter(half, at('2026-03-28T12:00Z'), 2))).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ])
    const [first = 0, second = 0] = timesAfter(half, at('2026-10-24T12:00Z'), 2)
    expect(second - first).toBeGreaterThanOrEqual(DAY_MS)
  })

  test('of an interval are counted from when it was made', () => {
    const hourly = { everyMs: HOUR_MS, createdAt: NOW }
    expect(timesAfter(hourly, NOW, 2)).toEqual([NOW + HOUR_MS, NOW + 2 * HOUR_MS])
    expect(nextTime(hourly, NOW + HOUR_MS - 1)).toBe(NOW + HOUR_MS)
    expect(nextTime(hourly, NOW + HOUR_MS)).toBe(NOW + 2 * HOUR_MS)
  })
})

describe('a timing that makes no sense is refused with its field', () => {
  test.each([
    [{ cron: 'tomorrow' }, 'cron', /cannot be read: .*Like "0 3 \* \* \*"/],
    [{ cron: '61 * * * *' }, 'cron', /minute: 61/],
    [{ cron: '' }, 'cron', /cannot be read/],
    [{ cron: '0 0 30 2 *' }, 'cron', /has no future times/],
    [{ cron: '0 3 * * *', timeZone: 'Mars/Base' }, 'timeZone', /is not a time zone/],
    [{ everyMs: HOUR_MS, timeZone: 'UTC' }, 'timeZone', /needs cron/],
  ])('%j', (timing, field, why) => {
    expect(timingProblem(timing, NOW)).toEqual({ field, why: expect.stringMatching(why) })
  })

  test('and one that does is not', () => {
    expect(timingProblem({ cron: '0 3 * * 1-5', timeZone: 'Europe/Berlin' }, NOW)).toBeUndefined()
    expect(timingProblem({ cron: '0 3 * * *' }, NOW)).toBeUndefined()
    expect(timingProblem({ everyMs: SECOND_MS }, NOW)).toBeUndefined()
  })
})

describe('a due time', () => {
  const DUE = NOW + HOUR_MS
  const limits = { graceMs: MINUTE_MS, most: 5 }
  const hourly = (missed: 'skip' | 'run') => ({ everyMs: HOUR_MS, createdAt: NOW, missed })
  const due = (missed: 'skip' | 'run', now: number) => dueTimes(hourly(missed), { dueAt: DUE, now, ...limits })

  test('runs in its time, and up to the grace after it', () => {
    const runs = { runs: DUE, missed: undefined, next: DUE + HOUR_MS }
    expect(due('skip', DUE)).toEqual(runs)
    expect(due('skip', DUE + MINUTE_MS)).toEqual(runs)
  })

  test('is missed after that, or made up for', () => {
    const now = DUE + MINUTE_MS + 1
    expect(due('skip', now)).toEqual({ runs: undefined, missed: { first: DUE, count: 1 }, next: DUE + HOUR_MS })
    expect(due('run', now)).toEqual({ runs: DUE, missed: undefined, next: DUE + HOUR_MS })
  })

  test('of several runs once, for the last of them', () => {
    const now = DUE + 2 * HOUR_MS + 10 * MINUTE_MS
    expect(due('skip', now)).toEqual({ runs: undefined, missed: { first: DUE, count: 3 }, next: DUE + 3 * HOUR_MS })
    expect(due('run', now)).toEqual({
      runs: DUE + 2 * HOUR_MS,
      missed: { first: DUE, count: 2 },
      next: DUE + 3 * HOUR_MS,
    })
    expect(due('skip', DUE + 2 * HOUR_MS)).toMatchObject({ runs: DUE + 2 * HOUR_MS, missed: { count: 2 } })
  })

  test('is counted no further than asked, and the last one is found all the same', () => {
    const now = DUE + 100 * HOUR_MS
    expect(due('skip', now)).toEqual({ runs: now, missed: { first: DUE, count: 5 }, next: now + HOUR_MS })
    expect(due('skip', now + 30 * MINUTE_MS)).toMatchObject({ runs: undefined, missed: { first: DUE, count: 5 } })
    const late = due('run', now + 30 * MINUTE_MS)
    expect(late.runs).toBeDefined()
    expect(late.next).toBe(now + HOUR_MS)
  })
})
