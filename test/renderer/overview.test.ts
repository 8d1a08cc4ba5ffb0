import { describe, expect, it, test } from 'vitest'
import { fittingRange } from '../../src-renderer/api-client/queries.ts'
import { inDrawingOrder, stackedValues } from '../../src-renderer/ui/chart/Chart.tsx'
import type { ChartSeries } from '../../src-renderer/ui/chart/chart-options.ts'
import { NOW } from './support.tsx'

const HOUR_MS = 3_600_000

describe('the range of the charts', () => {
  test.each([
    [undefined, '1 h'],
    [0, '1 h'],
    [HOUR_MS - 1, '1 h'],
    [HOUR_MS, '24 h'],
    [24 * HOUR_MS - 1, '24 h'],
    [24 * HOUR_MS, '7 d'],
    [30 * 24 * HOUR_MS, '7 d'],
  ])('shows work of %s ms ago in %s', (ago, range) => {
    expect(fittingRange(ago === undefined ? undefined : NOW - ago, NOW)).toBe(range)
  })
})

it('bars stand on each other, and are drawn under lines with the highest first', () => {
  const waiting: ChartSeries = { name: 'waiting', tone: 'queued', values: [9, 9, 9] }
  const failed: ChartSeries = { name: 'failed', tone: 'failed', values: [1, null, 2], stacked: true }
  const completed: ChartSeries = { name: 'completed', tone: 'completed', values: [10, null, 20], stacked: true }
  const all = [waiting, failed, completed]
  expect(inDrawingOrder(all)).toEqual([completed, failed, waiting])
  expect(all.map((one) => stackedValues(one, all))).toEqual([
    [9, 9, 9],
    [1, null, 2],
    [11, null, 22],
  ])
})
