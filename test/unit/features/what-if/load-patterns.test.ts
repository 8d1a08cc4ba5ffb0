import { describe, expect, it } from 'vitest'
import type { LoadPattern } from '../../../../src-main/contract/what-if.ts'
import {
  expectedArrivals,
  patternArrivals,
  seededRandom,
} from '../../../../src-main/features/what-if/rules/load-patterns.ts'

const PATTERNS: Readonly<Record<string, LoadPattern>> = {
  steady: { type: 'steady', perSecond: 2, durationMs: 3_600_000 },
  burst: { type: 'burst', jobs: 50, everyMs: 60_000, perSecond: 0.5, durationMs: 3_600_000 },
  day: { type: 'day', lowPerSecond: 0.1, highPerSecond: 3, dayMs: 3_600_000, durationMs: 7_200_000 },
}

describe.each(Object.entries(PATTERNS))('a load that is %s', (_name, pattern) => {
  it('comes in order, within its duration, and about as often as expected', () => {
    const times = patternArrivals(pattern, 7)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times[0]).toBeGreaterThanOrEqual(0)
    expect(times.at(-1)).toBeLessThan(pattern.durationMs)
    const expected = expectedArrivals(pattern)
    expect(Math.abs(times.length - expected)).toBeLessThan(5 * Math.sqrt(expected))
  })

  it('is the same for the same seed, and another one for another', () => {
    expect(patternArrivals(pattern, 7)).toEqual(patternArrivals(pattern, 7))
    expect(patternArrivals(pattern, 7)).not.toEqual(patternArrivals(pattern, 8))
  })
})

it('a day has its least at night and its most at noon', () => {
  const { day } = PATTERNS
  const times = patternArrivals(day as LoadPattern, 7)
  const within = (from: number, to: number) => times.filter((at) => at >= from && at < to).length
  expect(within(1_500_000, 2_100_000)).toBeGreaterThan(3 * within(0, 600_000))
})

it('random numbers spread evenly from 0 up to 1', () => {
  const random = seededRandom(3)
  const tenths = Array(10).fill(0)
  for (let n = 0; n < 10_000; n++) tenths[Math.floor(random() * 10)] += 1
  for (const count of tenths) expect(Math.abs(count - 1000)).toBeLessThan(150)
})
