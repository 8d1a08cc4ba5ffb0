import type { Tone } from '../tone.ts'

/** One line of a chart. `null` is a gap: nothing was measured. */
export type ChartSeries = {
  readonly name: string
  readonly tone: Tone | 'accent'
  readonly values: readonly (number | null)[]
  /** Filled down to nought. */
  readonly filled?: boolean
  /** Counts of each step, drawn as bars that stand on those of the series before. */
  readonly stacked?: boolean
  /** A count: the legend has the sum of all steps, and not the newest one. */
  readonly counted?: boolean
}

/** A line through a chart, where something happened. */
export type ChartMark = { readonly at: number; readonly tone: Tone }

/** A chart. */
export type ChartProps = {
  readonly title: string
  /** ms since the epoch, one for each value. */
  readonly times: readonly number[]
  readonly series: readonly ChartSeries[]
  /** Writes a value. */
  readonly format: (value: number) => string
  /** Charts of the same group show the same moment under the pointer. */
  readonly group: string
  /** Lines through the chart. */
  readonly marks?: readonly ChartMark[]
  /** Said in its place where nothing was measured. */
  readonly empty?: string
}
