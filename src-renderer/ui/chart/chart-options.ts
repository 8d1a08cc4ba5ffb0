import UPlot from 'uplot'
import { type Tone, tokenColourReader } from '../colours.ts'
import { duration } from '../format.ts'

const LINE_PX = 1.5
// Share of a step's width, and the greatest width in px.
const BAR_SHARE = 0.8
const BAR_PX = 24
const AXIS_PX = 24
const FONT_PX = 11
const FONT = '"Inter Variable", sans-serif'
// Least width of the value labels, so that charts below each other share their time axis; and their distance.
const VALUES_PX = 68
const GAP_PX = 10
const DAY_S = 86_400
const TIME_SPACE_PX = 80
const VALUE_SPACE_PX = 32
const RIGHT_PX = 22
const FILL_ALPHA = '14%'
const MARK_ALPHA = 0.45

/** Distances between labels of counts and sizes: a label of 2.5 jobs would be rounded to a number that it is not. */
const WHOLE_TICKS: readonly number[] = Array.from({ length: 16 }, (_one, power) => 10 ** power).flatMap((ten) => [
  ten,
  2 * ten,
  5 * ten,
])

/** Distances between duration labels, ms: without them, an axis says `4 min 10 s`. */
export const SPAN_TICKS: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800].map((seconds) => seconds * 1000),
  ...[1, 2, 4, 6, 12, 24, 48, 120, 240].map((hours) => hours * 3_600_000),
]

export const AXIS_FONT = `${FONT_PX}px ${FONT}`

export function valueAxisWidth({ ctx }: UPlot, labels: readonly string[] | null): number {
  ctx.save()
  ctx.font = `${FONT_PX * devicePixelRatio}px ${FONT}`
  const widths = (labels ?? []).map((label) => ctx.measureText(label ?? '').width / devicePixelRatio)
  ctx.restore()
  return Math.ceil(Math.max(VALUES_PX, ...widths.map((width) => width + GAP_PX)))
}

const hourText = UPlot.fmtDate('{HH}:{mm}')
const dayText = UPlot.fmtDate('{D} {MMM}')

/**
 * Hours, and the day at its start.
 * @param times s since the epoch, `stepS` apart
 */
export function timeLabels(
  _plot: UPlot,
  times: readonly number[],
  _axis: number,
  _space: number,
  stepS: number,
): string[] {
  return times.map((at) => {
    const time = new Date(at * 1000)
    const isDay = stepS >= DAY_S || (time.getHours() === 0 && time.getMinutes() === 0 && time.getSeconds() === 0)
    return isDay ? dayText(time) : hourText(time)
  })
}

const timeAxis = (elapsed: boolean): Pick<UPlot.Axis, 'values' | 'incrs'> =>
  elapsed
    ? {
        values: (_plot, times) => times.map((at) => duration(at * 1000)),
        incrs: SPAN_TICKS.map((ms) => ms / 1000),
      }
    : { values: timeLabels }

export function chartOptions({
  element,
  series,
  format,
  ticks = WHOLE_TICKS,
  elapsed = false,
  group,
  width,
  height,
  onIndex,
  marks,
}: Pick<ChartProps, 'series' | 'format' | 'ticks' | 'elapsed' | 'group'> & {
  readonly element: HTMLElement
  readonly width: number
  readonly height: number
  readonly onIndex: (index: number | null) => void
  readonly marks: () => readonly ChartMark[]
}): UPlot.Options {
  const colour = tokenColourReader(element)
  const axis = {
    stroke: colour('--ink-2'),
    font: AXIS_FONT,
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  }
  return {
    width,
    height,
    padding: [8, RIGHT_PX, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false },
      points: { size: 5 },
      sync: { key: group },
    },
    scales: { x: { time: !elapsed }, y: { range: (_plot, _least, most) => [0, mostShown(most)] } },
    axes: [
      { ...axis, size: AXIS_PX, space: TIME_SPACE_PX, grid: { show: false }, ...timeAxis(elapsed) },
      {
        ...axis,
        size: valueAxisWidth,
        space: VALUE_SPACE_PX,
        values: (_plot, values) => values.map(format),
        incrs: [...ticks],
      },
    ],
    series: [{}, ...series.map((one) => line(one, colour))],
    hooks: {
      setCursor: [({ cursor }) => onIndex(cursor.idx ?? null)],
      drawAxes: [(plot) => drawMarks(plot, marks(), colour)],
    },
  }
}

function drawMarks(plot: UPlot, marks: readonly ChartMark[], colour: (name: string) => string): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.globalAlpha = MARK_ALPHA
  ctx.lineWidth = devicePixelRatio
  ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio])
  for (const { at, tone } of marks) {
    const x = Math.round(plot.valToPos(at / 1000, 'x', true)) + 0.5
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    ctx.strokeStyle = colour(`--${tone}`)
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
  }
  ctx.restore()
}

function line({ name, tone, filled, stacked }: ChartSeries, colour: (name: string) => string): UPlot.Series {
  const stroke = colour(`--${tone}`)
  if (stacked === true) {
    const paths = UPlot.paths.bars?.({ size: [BAR_SHARE, BAR_PX] })
    return { label: name, stroke, fill: stroke, width: 0, points: { show: false }, ...(paths && { paths }) }
  }
  return {
    label: name,
    stroke,
    width: LINE_PX,
    spanGaps: false,
    points: { show: false, filter: (plot, index) => [...lonePoints(plot.data[index] ?? [])], size: 4, fill: stroke },
    ...(filled === true ? { fill: stroke.replace(/\)$/, ` / ${FILL_ALPHA})`) } : {}),
  }
}

/** Values between two gaps have no line, so without a point they would be invisible. */
export function lonePoints(values: ArrayLike<number | null | undefined>): readonly number[] {
  const isGap = (at: number) => values[at] === null || values[at] === undefined
  return Array.from(values, (_value, at) => at).filter((at) => !isGap(at) && isGap(at - 1) && isGap(at + 1))
}

// A line at zero stays at the bottom of a scaled chart.
const mostShown = (most: number | null) => Math.max(1, most ?? 0) * 1.1

/** `null` is a gap: nothing was measured. */
export type ChartSeries = {
  readonly name: string
  readonly tone: Tone | 'accent'
  readonly values: readonly (number | null)[]
  readonly filled?: boolean
  /** Counts of each step, drawn as bars on top of the series before. */
  readonly stacked?: boolean
  /** Value over the whole range for the legend; defaults to the largest of `values`. */
  readonly ofRange?: number | undefined
}

type ChartMark = { readonly at: number; readonly tone: Tone }

export type ChartProps = {
  readonly title: string
  /** ms since the epoch, or since the beginning if `elapsed`; one for each value. */
  readonly times: readonly number[]
  readonly series: readonly ChartSeries[]
  readonly format: (value: number) => string
  /** Distances between its labels, ascending; by default `WHOLE_TICKS`. */
  readonly ticks?: readonly number[]
  /** The time axis says spans since the beginning, and not the time of day. */
  readonly elapsed?: boolean
  readonly group: string
  readonly marks?: readonly ChartMark[]
  readonly empty?: string
}
