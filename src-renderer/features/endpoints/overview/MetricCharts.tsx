import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { metricsQuery, type Range } from '../../../api-client/queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { Card } from '../../../ui/Card.tsx'
import { Chart } from '../../../ui/chart/Chart.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { duration } from '../../../ui/format.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { toGrid, valuesOf, workersIn } from './to-series.ts'

const whole = (value: number) => Math.round(value).toLocaleString('en')

/** Queue, waiting, execution and workers over time. */
export function MetricCharts({ endpointId, range }: { readonly endpointId: string; readonly range: Range }) {
  const { client, platform } = useApp()
  const { data, error } = useQuery(metricsQuery(client, endpointId, range, platform.now))
  const grid = useMemo(() => data && toGrid(data.points, data), [data])
  const charts = useMemo(() => {
    if (grid === undefined) return undefined
    return {
      jobs: [
        { name: 'waiting', tone: 'queued', values: valuesOf(grid, (point) => point.inQueue) },
        { name: 'running', tone: 'running', values: valuesOf(grid, (point) => point.inProgress) },
        { name: 'failed', tone: 'failed', values: valuesOf(grid, (point) => point.failed) },
      ],
      delay: [
        { name: 'p50', tone: 'queued', values: valuesOf(grid, (point) => point.delay?.p50) },
        { name: 'p99', tone: 'accent', values: valuesOf(grid, (point) => point.delay?.p99), filled: true },
      ],
      execution: [
        { name: 'p50', tone: 'queued', values: valuesOf(grid, (point) => point.execution?.p50) },
        { name: 'p99', tone: 'accent', values: valuesOf(grid, (point) => point.execution?.p99), filled: true },
      ],
      workers: [
        { name: 'ready', tone: 'completed', values: valuesOf(grid, (point) => workersIn(point, 'idle', 'running')) },
        { name: 'starting', tone: 'running', values: valuesOf(grid, (point) => workersIn(point, 'initializing')) },
        { name: 'unhealthy', tone: 'failed', values: valuesOf(grid, (point) => workersIn(point, 'unhealthy')) },
      ],
    } as const
  }, [grid])

  if (error !== null) return <ErrorNotice error={error} />
  if (grid === undefined || charts === undefined) return <Skeleton className="h-[362px]" />
  const shared = { times: grid.times, group: `endpoint ${endpointId}` }
  return (
    <Card className="relative">
      <div className="grid min-h-[360px] grid-cols-1 lg:grid-cols-2">
        <Chart title="Jobs" series={charts.jobs} format={whole} {...shared} />
        <Chart title="Workers" series={charts.workers} format={whole} {...shared} />
        <Chart title="Waiting time" series={charts.delay} format={duration} {...shared} />
        <Chart title="Execution time" series={charts.execution} format={duration} {...shared} />
      </div>
      {data?.points.length === 0 && (
        <p className="absolute top-1/2 left-1/2 w-max max-w-[calc(100%-2rem)] -translate-1/2 rounded-control border border-line bg-surface-1 px-3 py-1.5 text-ink-2">
          Nothing was measured in this span: figures are taken every 10 s while jobs come or workers run.
        </p>
      )}
    </Card>
  )
}
