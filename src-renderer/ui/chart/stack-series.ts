import type { ChartSeries } from './chart-props.ts'

/** Series as they are drawn: bars under lines, and of bars the highest first, as those below are drawn over it. */
export function inDrawingOrder(series: readonly ChartSeries[]): readonly ChartSeries[] {
  const isStacked = ({ stacked }: ChartSeries) => stacked === true
  return [...series.filter(isStacked).toReversed(), ...series.filter((one) => !isStacked(one))]
}

/** How high a series reaches: a bar stands on those of the stacked series before it. */
export function stackedValues(one: ChartSeries, series: readonly ChartSeries[]): ChartSeries['values'] {
  if (one.stacked !== true) return one.values
  const below = series.slice(0, series.indexOf(one)).filter(({ stacked }) => stacked === true)
  return one.values.map((value, at) =>
    value === null ? null : below.reduce((sum, { values }) => sum + (values[at] ?? 0), value),
  )
}
