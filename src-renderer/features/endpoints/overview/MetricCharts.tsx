import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { fleetEventsQuery, metricsQuery, type Range } from '../../../api-client/queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { Card } from '../../../ui/Card.tsx'
import { Chart } from '../../../ui/chart/Chart.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { duration } from '../../../ui/format.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { EventsOfSpan } from './EventsOfSpan.tsx'
import { toMarks } from './event-marks.ts'
import { RangeTotals } from './RangeTotals.tsx'
import { toGrid, valuesOf, workersIn } from './to-series.ts'

const whole = (value: number) => Math.round(value).toLocaleString('en')

// Steps of scaling are seen in the chart of workers; lines for each of them would hide it.
const DRAWN_WEIGHT = 2
const EMPTY = 'nothing measured'

/** Queue, waiting, execution and workers over time, with what happened meanwhile. */
export type MetricChartsProps = { readonly endpoint: LiveEndpoint; readonly range: Range }

/** The charts of an endpoint, with a common time. */
export function MetricCharts({ endpoint, range }: MetricChartsProps) {
  const { id } = endpoint
  const { client, platform } = useApp()
  const { data, error } = useQuery(metricsQuery(client, id, range, platform.now))
  const { data: happened } = useQuery(fleetEventsQuery(client, id, range, platform.now))
  const marks = useMemo(() => toMarks(happened?.events ?? []), [happened])
  const drawn = useMemo(() => marks.filter(({ weight }) => weight >= DRAWN_WEIGHT), [marks])
  const grid = useMemo(() => data && toGrid(data.points, data), [data])
  const charts = useMemo(() => {
    if (grid === undefined) return undefined
    return {
      jobs: [
        { name: 'waiting', tone: 'queued', values: valuesOf(grid, (point) => point.inQueue) },
        { name: 'running', tone: 'running', values: valuesOf(grid, (point) => point.inProgress) },
        {
          name: 'failed',
          tone: 'failed',
          values: valuesOf(grid, (point) => point.failed),
          stacked: true,
          counted: true,
        },
        {
          name: 'completed',
          tone: 'completed',
          values: valuesOf(grid, (point) => point.completed),
          stacked: true,
          counted: true,
        },
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
        { name: 'cold starts', tone: 'retried', values: valuesOf(grid, (point) => point.coldStarts), counted: true },
      ],
    } as const
  }, [grid])

  if (error !== null) return <ErrorNotice error={error} />
  if (data === undefined || grid === undefined || charts === undefined) return <Skeleton className="h-[455px]" />
  const shared = { times: grid.times, group: `endpoint ${id}`, marks: drawn, empty: EMPTY }
  return (
    <Card>
      <RangeTotals totals={data.totals} requests={endpoint.loadBalanced !== undefined} />
      <EventsOfSpan endpoint={endpoint} marks={marks} from={data.from} to={data.to} />
      <div className="grid min-h-[360px] grid-cols-1 lg:grid-cols-2">
        <Chart
          title={endpoint.loadBalanced === undefined ? 'Jobs' : 'Requests'}
          series={charts.jobs}
          format={whole}
          {...shared}
        />
        <Chart title="Workers" series={charts.workers} format={whole} {...shared} />
        <Chart title="Waiting time" series={charts.delay} format={duration} {...shared} />
        <Chart title="Execution time" series={charts.execution} format={duration} {...shared} />
      </div>
      {data.points.length === 0 && (
        <p className="border-t border-line px-3 py-2 text-ink-2">
          Nothing was measured in this span: figures come with jobs and workers.
        </p>
      )}
    </Card>
  )
}
