import clsx from 'clsx'
import { memo } from 'react'
import type { UsageReading, WorkerUsage } from '../../../src-main/contract/endpoint.ts'
import { bytes, percentText } from '../../ui/format.ts'

const ONE_CPU = 100
const NO_POINTS: readonly UsagePoint[] = []
const cpuOf = ({ cpuPercent }: UsagePoint) => cpuPercent
const memoryOf = ({ memoryBytes }: UsagePoint) => memoryBytes
const gpuOf = ({ gpuPercent }: UsagePoint) => gpuPercent
const gpuMemoryOf = ({ gpuMemoryBytes }: UsagePoint) => gpuMemoryBytes

export function UsageCharts({
  points = NO_POINTS,
  hasGpu,
}: {
  points: readonly UsagePoint[] | undefined
  hasGpu: boolean
}) {
  const limit = points.at(-1)?.memoryLimitBytes
  const cpuMost = Math.max(ONE_CPU, ...points.map((point) => cpuOf(point) ?? 0))
  return (
    <div className="grid grid-cols-2 gap-x-4 gap-y-2">
      <TinyChart
        name="CPU"
        points={points}
        read={cpuOf}
        format={percentText}
        most={cpuMost > ONE_CPU ? undefined : cpuMost}
      />
      <TinyChart
        name="Memory"
        points={points}
        read={memoryOf}
        format={bytes}
        most={limit}
        of={limit === undefined ? undefined : bytes(limit)}
      />
      {hasGpu && <TinyChart name="GPU" points={points} read={gpuOf} format={percentText} most={ONE_CPU} />}
      {hasGpu && <TinyChart name="GPU memory" points={points} read={gpuMemoryOf} format={bytes} />}
    </div>
  )
}

type TinyChartProps = {
  readonly name: string
  readonly points: readonly UsagePoint[]
  readonly read: (point: UsagePoint) => number | undefined
  readonly format: (value: number) => string
  readonly most?: number | undefined
  /** After the value: `17 MiB of 256 MiB`, or `17 of 256 MiB` with equal units. */
  readonly of?: string | undefined
}

const WIDTH = 100
const HEIGHT = 24
const HIGH = 0.9
// Readings are 2 s apart; longer pauses are gaps. ms
const GAP_MS = 7000

const TinyChart = memo(function TinyChart({ name, points, read, format, most, of }: TinyChartProps) {
  const values = points.flatMap((point) => {
    const value = read(point)
    return value === undefined ? [] : [{ at: point.at, value }]
  })
  const last = values.at(-1)
  const top = most ?? Math.max(1, ...values.map(({ value }) => value)) * 1.1
  const isHigh = most !== undefined && last !== undefined && last.value >= most * HIGH
  const text = last === undefined ? 'not measured yet' : format(last.value)
  return (
    <figure className="flex min-w-0 flex-col">
      <figcaption className="flex flex-wrap items-baseline justify-between gap-x-2 text-small">
        <span className="text-ink-2">{name}</span>
        <span className={clsx('whitespace-nowrap', isHigh && 'font-medium text-warn-ink')}>
          {last === undefined ? <span className="text-ink-2">–</span> : withoutUnit(text, of)}
          {last !== undefined && of !== undefined && <span className="text-ink-2"> of {of}</span>}
        </span>
      </figcaption>
      <svg
        role="img"
        aria-label={`${name} over the last three minutes, now ${text}`}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="mt-auto h-6 w-full overflow-visible pt-0.5"
      >
        <path d={`M0 ${HEIGHT}H${WIDTH}`} className="stroke-line" strokeWidth="1" vectorEffect="non-scaling-stroke" />
        <path
          d={line(values, top)}
          fill="none"
          strokeWidth="1.25"
          strokeLinecap="round"
          vectorEffect="non-scaling-stroke"
          className={isHigh ? 'stroke-timed-out' : 'stroke-running'}
        />
      </svg>
    </figure>
  )
})

function withoutUnit(text: string, of: string | undefined): string {
  const [value = text, unit] = text.split(' ')
  return of?.endsWith(` ${unit}`) ? value : text
}

// The newest value is at the right edge, so lines never stretch.
function line(values: readonly { readonly at: number; readonly value: number }[], top: number): string {
  const end = values.at(-1)?.at ?? 0
  return values
    .map(({ at, value }, index) => {
      const x = WIDTH - ((end - at) / HISTORY_MS) * WIDTH
      const y = HEIGHT - Math.min(1, value / top) * (HEIGHT - 1)
      const before = values[index - 1]?.at
      const pen = before === undefined || at - before > GAP_MS ? 'M' : 'L'
      return `${pen}${x.toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
}

export type UsagePoint = WorkerUsage & { readonly at: number }

export type UsageHistory = ReadonlyMap<string, readonly UsagePoint[]>

const HISTORY_MS = 180_000

export function addReadings(history: UsageHistory, readings: readonly UsageReading[]): UsageHistory {
  return readings.reduce<UsageHistory>(
    (sum, { at, workers }) =>
      new Map(
        workers.map(({ workerId, endpointId: _endpoint, ...usage }) => {
          const before = sum.get(workerId) ?? []
          return [workerId, [...before.filter((point) => at - point.at < HISTORY_MS), { at, ...usage }]]
        }),
      ),
    history,
  )
}
