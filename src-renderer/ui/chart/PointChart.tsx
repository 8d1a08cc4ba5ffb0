import 'uplot/dist/uPlot.min.css'
import clsx from 'clsx'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import { TONE_FILLS, type Tone, tokenColourReader, useColours } from '../colours.ts'
import { AXIS_FONT, valueAxisWidth } from './chart-options.ts'

export type PointGroup = {
  readonly name: string
  readonly tone: Tone | 'accent'
  readonly joined?: boolean
  readonly large?: boolean
}

/** A chart of points; a table next to it must show the same data. */
export type PointChartProps = {
  readonly title: string
  readonly points: readonly { readonly x: number; readonly y: number; readonly of: string }[]
  readonly groups: readonly PointGroup[]
  readonly formatX: (value: number) => string
  readonly formatY: (value: number) => string
}

const HEIGHT_PX = 220
const FILLS: Readonly<Record<PointGroup['tone'], string>> = { ...TONE_FILLS, accent: 'bg-accent' }
const SMALL_PX = 6
const LARGE_PX = 11

export function PointChart({ title, points, groups, formatX, formatY }: PointChartProps) {
  const container = useRef<HTMLDivElement>(null)
  const colours = useColours()

  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn anew for other colours
  useEffect(() => {
    const element = container.current
    if (element === null) return
    const colour = tokenColourReader(element)
    const axis = { stroke: colour('--ink-2'), font: AXIS_FONT, ticks: { show: false } }
    const grid = { stroke: colour('--line'), width: 1 }
    const sorted = points.toSorted((a, b) => a.x - b.x)
    const chart = new UPlot(
      {
        ...{ width: element.clientWidth, height: HEIGHT_PX, padding: [8, 24, 0, 0], legend: { show: false } },
        cursor: { show: false },
        scales: { x: { time: false }, y: { range: (_plot, _least, most) => [0, Math.max(1, most ?? 0) * 1.1] } },
        axes: [
          { ...axis, grid, space: 80, values: (_plot, values) => values.map(formatX) },
          { ...axis, grid, size: valueAxisWidth, values: (_plot, values) => values.map(formatY) },
        ],
        series: [
          {},
          ...groups.map(({ name, tone, joined = false, large = false }): UPlot.Series => {
            const stroke = colour(`--${tone}`)
            const size = large ? LARGE_PX : SMALL_PX
            const line = joined ? {} : { paths: () => null }
            return {
              label: name,
              stroke,
              width: 1.5,
              spanGaps: true,
              points: { show: true, size, fill: stroke },
              ...line,
            }
          }),
        ],
      },
      [sorted.map(({ x }) => x), ...groups.map(({ name }) => sorted.map(({ y, of }) => (of === name ? y : null)))],
      element,
    )
    const resize = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT_PX }))
    resize.observe(element)
    return () => {
      resize.disconnect()
      chart.destroy()
    }
  }, [points, groups, formatX, formatY, colours])

  return (
    <figure className="min-w-0 p-3">
      <figcaption className="mb-1 flex flex-wrap items-center gap-x-3">
        <span className="font-medium">{title}</span>
        {groups.map(({ name, tone }) => (
          <span key={name} className="flex items-center gap-1.5 text-small text-ink-2">
            <span aria-hidden className={clsx('size-2 rounded-full', FILLS[tone])} />
            {name}
          </span>
        ))}
      </figcaption>
      <div ref={container} aria-hidden className="min-w-0" style={{ height: HEIGHT_PX }} />
    </figure>
  )
}
