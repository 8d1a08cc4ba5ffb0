import 'uplot/dist/uPlot.min.css'
import clsx from 'clsx'
import { useEffect, useRef, useState } from 'react'
import UPlot from 'uplot'
import { TONE_FILLS, useColours } from '../colours.ts'
import { type ChartProps, type ChartSeries, chartOptions } from './chart-options.ts'

const HEIGHT_PX = 132
const NO_MARKS: NonNullable<ChartProps['marks']> = []

const LINES: Readonly<Record<ChartSeries['tone'], string>> = { ...TONE_FILLS, accent: 'bg-accent' }

export function Chart({
  title,
  times,
  series,
  format,
  ticks,
  elapsed = false,
  group,
  marks = NO_MARKS,
  empty,
}: ChartProps) {
  const container = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot>(null)
  const lines = useRef(marks)
  const [index, setIndex] = useState<number | null>(null)
  const colours = useColours()
  const shape = series.map(({ name, tone, filled, stacked }) => `${name} ${tone} ${filled} ${stacked}`).join()

  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn anew for other lines or colours; values go in below
  useEffect(() => {
    const element = container.current
    if (element === null) return
    const chart = new UPlot(
      chartOptions({
        element,
        series: inDrawingOrder(series),
        format,
        ...(ticks && { ticks }),
        elapsed,
        group,
        width: element.clientWidth,
        height: HEIGHT_PX,
        onIndex: setIndex,
        marks: () => lines.current,
      }),
      toData(times, series),
      element,
    )
    plot.current = chart
    const resize = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT_PX }))
    resize.observe(element)
    return () => {
      resize.disconnect()
      chart.destroy()
      plot.current = null
    }
  }, [shape, group, elapsed, colours])

  useEffect(() => {
    lines.current = marks
    plot.current?.setData(toData(times, series))
  }, [times, series, marks])
  const isEmpty = series.every(({ values }) => values.every((value) => value === null))

  return (
    <figure className="min-w-0 p-3">
      <figcaption className="mb-1 flex flex-wrap items-center gap-x-3">
        <span className="font-medium">{title}</span>
        {series.map((one) => (
          <span key={one.name} className="flex items-center gap-1.5 text-small text-ink-2">
            <span aria-hidden className={clsx('h-0.5 w-3 rounded-full', LINES[one.tone])} />
            {one.name} <span className="text-ink">{legendText(one, index, format)}</span>
          </span>
        ))}
      </figcaption>
      <div className="relative">
        <div ref={container} aria-hidden className="min-w-0" style={{ height: HEIGHT_PX }} />
        {isEmpty && empty !== undefined && (
          <p className="pointer-events-none absolute inset-x-14 top-12 text-center text-small text-ink-2">
            <span className="bg-surface-1 px-2">{empty}</span>
          </p>
        )}
      </div>
    </figure>
  )
}

export function legendText(
  { values, ofRange }: Pick<ChartSeries, 'values' | 'ofRange'>,
  index: number | null,
  format: ChartProps['format'],
): string {
  const value = index === null ? ofRange : values[index]
  if (value !== undefined && value !== null) return format(value)
  const known = index === null ? values.filter((one) => one !== null) : []
  return known.length === 0 ? '–' : `max ${format(known.reduce((most, one) => Math.max(most, one)))}`
}

function toData(times: ChartProps['times'], series: ChartProps['series']): UPlot.AlignedData {
  return [times.map((at) => at / 1000), ...inDrawingOrder(series).map((one) => [...stackedValues(one, series)])]
}

/** Bars under lines, and the highest bars first, because those below are drawn over them. */
export function inDrawingOrder(series: readonly ChartSeries[]): readonly ChartSeries[] {
  const isStacked = ({ stacked }: ChartSeries) => stacked === true
  return [...series.filter(isStacked).toReversed(), ...series.filter((one) => !isStacked(one))]
}

export function stackedValues(one: ChartSeries, series: readonly ChartSeries[]): ChartSeries['values'] {
  if (one.stacked !== true) return one.values
  const below = series.slice(0, series.indexOf(one)).filter(({ stacked }) => stacked === true)
  return one.values.map((value, at) =>
    value === null ? null : below.reduce((sum, { values }) => sum + (values[at] ?? 0), value),
  )
}
