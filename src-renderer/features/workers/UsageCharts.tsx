import { bytes } from '../../ui/format.ts'
import { TinyChart } from './TinyChart.tsx'
import type { UsagePoint } from './usage-history.ts'

const ONE_CPU = 100
const NO_POINTS: readonly UsagePoint[] = []
const percent = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} %`
const cpuOf = ({ cpuPercent }: UsagePoint) => cpuPercent
const memoryOf = ({ memoryBytes }: UsagePoint) => memoryBytes
const gpuOf = ({ gpuPercent }: UsagePoint) => gpuPercent
const gpuMemoryOf = ({ gpuMemoryBytes }: UsagePoint) => gpuMemoryBytes

/** What a worker uses, as tiny charts; those of graphics cards where it has one. */
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
        format={percent}
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
      {hasGpu && <TinyChart name="GPU" points={points} read={gpuOf} format={percent} most={ONE_CPU} />}
      {hasGpu && <TinyChart name="GPU memory" points={points} read={gpuMemoryOf} format={bytes} />}
    </div>
  )
}
