import type { Tone } from '../StateDot.tsx'

/** One line of a chart. `null` is a gap: nothing was measured. */
export type ChartSeries = {
  readonly name: string
  readonly tone: Tone | 'accent'
  readonly values: readonly (number | null)[]
  /** Filled down to nought. */
  readonly filled?: boolean
}

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
}
