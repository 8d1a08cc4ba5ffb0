import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addSteps,
  bucketOf,
  HELD_MS,
  mergeHistograms,
  percentilesOf,
  repeatHeld,
  STEP_MS,
  type Step,
  toPoints,
  toTotals,
} from '../../../../src-main/features/monitoring/rules/metrics.ts'

const histogramOf = (spans: readonly number[]) => mergeHistograms(spans.map((ms) => ({ [bucketOf(ms)]: 1 })))
const spans = fc.array(fc.integer({ min: 1, max: 10_000_000 }), { minLength: 1, maxLength: 60 })

describe('percentiles', () => {
  it('are right within 10 %', () => {
    fc.assert(
      fc.property(spans, (all) => {
        const sorted = all.toSorted((a, b) => a - b)
        const found = percentilesOf(histogramOf(all), Number.POSITIVE_INFINITY)
        for (const [name, share] of [
          ['p50', 0.5],
          ['p90', 0.9],
          ['p99', 0.99],
        ] as const) {
          const exact = sorted[Math.ceil(all.length * share) - 1] ?? 0
          expect(found?.[name]).toBeGreaterThanOrEqual(Math.floor(exact * 0.99))
          expect(found?.[name]).toBeLessThanOrEqual(Math.ceil(exact * 1.1) + 1)
        }
        expect(found?.count).toBe(all.length)
      }),
      { numRuns: 200 },
    )
  })

  it('of two parts are those of the whole', () => {
    fc.assert(
      fc.property(spans, spans, (a, b) => {
        const longest = Math.max(...a, ...b)
        expect(percentilesOf(mergeHistograms([histogramOf(a), histogramOf(b)]), longest)).toEqual(
          percentilesOf(histogramOf([...a, ...b]), longest),
        )
      }),
      { numRuns: 100 },
    )
  })

  it('are never above the longest span', () => {
    fc.assert(
      fc.property(spans, (all) => {
        const longest = Math.max(...all)
        const found = percentilesOf(histogramOf(all), longest)
        for (const name of ['p50', 'p90', 'p99'] as const) expect(found?.[name]).toBeLessThanOrEqual(longest)
      }),
    )
    expect(percentilesOf({ [bucketOf(40_000)]: 1 }, 40_000)).toEqual({
      p50: 40_000,
      p90: 40_000,
      p99: 40_000,
      count: 1,
    })
  })

  it('of nothing are missing', () => expect(percentilesOf({}, 0)).toBe(undefined))
})

describe('points', () => {
  const none = { inQueue: 0, inProgress: 0, ready: 0, starting: 0, unhealthy: 0 }
  const nothing = { inProgress: 0, completed: 0, failed: 0, retried: 0, coldStarts: 0, workers: {} }
  const step = (at: number, inQueue: number, submitted: number): { at: number; step: Step } => ({
    at,
    step: {
      inQueue,
      inProgress: 0,
      submitted,
      completed: 0,
      failed: 0,
      retried: 0,
      delay: {},
      execution: {},
      workers: {},
    },
  })

  it('add counts, and take the last gauge of each and the highest', () => {
    const points = toPoints([step(0, 5, 1), step(10, 3, 2), step(20, 1, 4)], 20)
    expect(points).toEqual([
      { ...nothing, at: 0, inQueue: 3, submitted: 3, most: { ...none, inQueue: 5 } },
      { ...nothing, at: 20, inQueue: 1, submitted: 4, most: { ...none, inQueue: 1 } },
    ])
  })

  it('count cold starts, also where older steps know none', () => {
    const old = step(0, 0, 0)
    const points = toPoints([old, { at: 10, step: { ...old.step, coldStarts: 2 } }], 20)
    expect(points.map(({ coldStarts }) => coldStarts)).toEqual([2])
  })
})

describe('held steps', () => {
  const nothing = { inQueue: 0, inProgress: 0, submitted: 0, completed: 0, failed: 0, retried: 0 }
  const step: Step = { ...nothing, delay: {}, execution: {}, workers: { idle: 1 } }
  const held: Step = { ...step, held: true }
  const times = (steps: Parameters<typeof repeatHeld>[0], until: number) =>
    repeatHeld(steps, until).map(({ at }) => at / STEP_MS)

  it('are repeated until the next stored one, or until now', () => {
    const steps = [
      { at: 0, step: held },
      { at: 3 * STEP_MS, step },
      { at: 5 * STEP_MS, step: held },
    ]
    expect(times(steps, 7 * STEP_MS)).toEqual([0, 1, 2, 3, 5, 6])
  })

  it('end where the service may have been off', () => {
    expect(times([{ at: 0, step: held }], 10 * HELD_MS)).toHaveLength(HELD_MS / STEP_MS)
  })

  it('are held no longer once something happened in them', () => {
    expect(addSteps({ ...step, submitted: 1 }, held)).not.toHaveProperty('held')
  })
})

describe('totals', () => {
  const step = (more: Partial<Step>): Step => ({
    ...{ inQueue: 0, inProgress: 0, submitted: 0, completed: 0, failed: 0, retried: 0, coldStarts: 0 },
    ...{ delay: {}, execution: {}, workers: {} },
    ...more,
  })

  it('are of all steps, percentiles too', () => {
    const steps = [
      step({ submitted: 2, completed: 1, coldStarts: 1, execution: { [bucketOf(100)]: 1 }, executionMaxMs: 100 }),
      step({ failed: 3, inQueue: 4, execution: { [bucketOf(1000)]: 2 }, executionMaxMs: 1000 }),
    ]
    const counts = { submitted: 2, completed: 1, failed: 3, retried: 0, coldStarts: 1 }
    expect(toTotals(steps)).toEqual({ ...counts, execution: { p50: 1000, p90: 1000, p99: 1000, count: 3 } })
    expect(toTotals([])).toEqual({ submitted: 0, completed: 0, failed: 0, retried: 0, coldStarts: 0 })
  })

  it('of steps that do not hold their longest span end with the highest bucket', () => {
    const old = step({ delay: { [bucketOf(40_000)]: 1 } })
    const { delay } = toTotals([old, step({ delay: { [bucketOf(50)]: 1 }, delayMaxMs: 50 })])
    expect(delay?.p99).toBe(Math.round(1.1 ** bucketOf(40_000)))
    expect(addSteps(old, old).delayMaxMs).toBe(Math.round(1.1 ** bucketOf(40_000)))
  })

  it('are the same of two parts of a step and of the whole, which has the gauges of the later one and the highest', () => {
    const [one, other] = [
      step({ submitted: 2, inQueue: 7, workers: { idle: 1 }, delay: { 3: 1 }, delayMaxMs: 1.3 }),
      step({ submitted: 1, inQueue: 1, workers: {}, delay: { 3: 2, 4: 1 }, delayMaxMs: 1.4 }),
    ]
    const longest = { delayMaxMs: 1.4, executionMaxMs: 0 }
    const most = { inQueue: 7, inProgress: 0, ready: 1, starting: 0, unhealthy: 0 }
    expect(addSteps(one, other)).toEqual(
      step({ submitted: 3, inQueue: 1, workers: {}, delay: { 3: 3, 4: 1 }, ...longest, most }),
    )
  })
})
