import type UPlot from 'uplot'
import { describe, expect, it, test } from 'vitest'
import { DAY_MS, MINUTE_MS } from '../../src-main/lib/units.ts'
import { fittingRange, RANGES, type Range, spanOf } from '../../src-renderer/api-client/queries.ts'
import { beginOfData } from '../../src-renderer/features/endpoints/MetricCharts.tsx'
import { inDrawingOrder, legendText, stackedValues } from '../../src-renderer/ui/chart/Chart.tsx'
import {
  type ChartSeries,
  chartOptions,
  lonePoints,
  timeLabels,
  valueAxisWidth,
} from '../../src-renderer/ui/chart/chart-options.ts'
import { NOW } from './support.tsx'

// Labels need none.
const NO_PLOT = {} as UPlot

function axesOf(options: { readonly elapsed?: boolean }): readonly UPlot.Axis[] {
  const { axes = [] } = chartOptions({
    element: document.createElement('div'),
    series: [],
    format: (value) => String(Math.round(value)),
    group: 'test',
    width: 400,
    height: 100,
    onIndex: () => undefined,
    marks: () => [],
    ...options,
  })
  return axes
}

test('labels of counts stand at whole numbers, so that none is rounded to another', () => {
  const [, values] = axesOf({})
  const steps = values?.incrs as readonly number[]
  expect(steps.slice(0, 6)).toEqual([1, 2, 5, 10, 20, 50])
  expect(steps.every(Number.isInteger)).toBe(true)
})

describe('the range of the charts', () => {
  const begin = (range: Range) => spanOf(range, NOW).from
  test.each([
    [undefined, '1 h'],
    [NOW, '1 h'],
    [begin('1 h'), '1 h'],
    [begin('1 h') - 1, '24 h'],
    [begin('24 h'), '24 h'],
    [begin('24 h') - 1, '7 d'],
    [begin('7 d') - DAY_MS, '7 d'],
  ])('shows work of %s in %s', (at, range) => {
    expect(fittingRange(at, NOW)).toBe(range)
  })

  test('begins with a whole step, and with the minute that the last hour of the list begins with', () => {
    expect(NOW % MINUTE_MS).toBeGreaterThan(0)
    expect(begin('1 h')).toBe((Math.floor(NOW / MINUTE_MS) - 59) * MINUTE_MS)
    for (const range of ['5 m', '1 h', '24 h', '7 d'] as const) {
      const { from, end } = spanOf(range, NOW)
      expect(end - from).toBe(RANGES[range].spanMs)
      expect([from <= NOW, end > NOW, from % RANGES[range].gridMs]).toEqual([true, true, 0])
    }
  })
})

describe('the time axis', () => {
  const span = { from: 0, to: 100_000, stepMs: 1000 }
  test.each([
    ['at the begin of its span without data', [], [], 0],
    ['one step before the first point', [50_000], [], 49_000],
    ['with a mark before the first point', [50_000], [40_500], 39_000],
    ['some steps before the first point, which has just come', [100_000], [], 90_000],
    ['never before its span', [0], [], 0],
  ])('begins %s', (_where, points, marks, from) => {
    const moments = (all: readonly number[]) => all.map((at) => ({ at }))
    expect(beginOfData({ ...span, points: moments(points) }, moments(marks))).toBe(from)
  })

  test('says the day where it begins, and the time elsewhere', () => {
    const local = (day: number, hour: number) => new Date(2026, 10, day, hour, 30).getTime() / 1000
    const midnight = new Date(2026, 10, 28).getTime() / 1000
    const label = (times: readonly number[], stepS: number) => timeLabels(NO_PLOT, times, 0, 0, stepS)
    expect(label([local(27, 21), midnight, local(28, 9)], 3 * 3600)).toEqual(['21:30', '28 Nov', '09:30'])
    expect(label([local(27, 9)], 86_400)).toEqual(['27 Nov'])
  })

  test('says spans since the beginning where times are elapsed', () => {
    const [times] = axesOf({ elapsed: true })
    expect(times?.values).toEqual(expect.any(Function))
    const values = times?.values as unknown as (plot: UPlot, times: readonly number[]) => readonly string[]
    expect(values(NO_PLOT, [0, 1800, 7200])).toEqual(['0 ms', '30 min', '2 h'])
  })
})

test.each([
  [[null, 3, null], [1]],
  [
    [3, null, 4, null, null, 5],
    [0, 2, 5],
  ],
  [[null, 3, 4, null, 5], [4]],
  [[1, 2, 3], []],
  [[], []],
])('of the values %j those at %j have no line, and get a point', (values, points) => {
  expect(lonePoints(values)).toEqual(points)
})

test('an axis of values holds its longest label, and is as wide as others where all are short', () => {
  const ctx = {
    save: () => undefined,
    restore: () => undefined,
    measureText: (text: string) => ({ width: text.length * 8 }),
  }
  const width = (labels: readonly string[] | null) => valueAxisWidth({ ctx } as unknown as UPlot, labels)
  expect(width(['0 ms', '23 h 59 min'])).toBeGreaterThan('23 h 59 min'.length * 8)
  expect(width(['0', '5'])).toBe(width(null))
})

describe('the legend of a chart', () => {
  const values = [1, null, 12, 0]
  test.each([
    ['the value of the range', { values, ofRange: 7 }, null, '7'],
    ['nought of the range', { values, ofRange: 0 }, null, '0'],
    ['the largest value where there is none of the range', { values }, null, 'max 12'],
    ['nothing where nothing was measured', { values: [null], ofRange: undefined }, null, '–'],
    ['the value under the pointer', { values, ofRange: 7 }, 2, '12'],
    ['a gap under the pointer', { values, ofRange: 7 }, 1, '–'],
  ])('says %s', (_what, series, index, said) => {
    expect(legendText(series, index, String)).toBe(said)
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
