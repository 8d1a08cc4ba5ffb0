import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link } from 'wouter'
import type { FleetEvent } from '../../../src-main/contract/fleet-events.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import type { MetricsPoint, MetricsTotals } from '../../../src-main/contract/management.ts'
import { failureRate } from '../../../src-main/features/endpoints/rules/endpoint-health.ts'
import { ADDRESS } from '../../addresses.ts'
import { fleetEventsQuery, metricsQuery, type Range } from '../../api-client/queries.ts'
import { useApp } from '../../store/app-context.ts'
import { Card } from '../../ui/Card.tsx'
import { Chart } from '../../ui/chart/Chart.tsx'
import { type ChartSeries, SPAN_TICKS } from '../../ui/chart/chart-options.ts'
import { type EventMark, EventStrip } from '../../ui/chart/EventStrip.tsx'
import { duration, exactTime } from '../../ui/format.ts'
import { TextLink } from '../../ui/Links.tsx'
import { ErrorNotice, Said, Skeleton } from '../../ui/PageStates.tsx'
import { useSearchParts } from '../../ui/use-address.ts'
import { ClockTime } from '../../ui/Values.tsx'

const whole = (value: number) => Math.round(value).toLocaleString('en')

// Scaling steps are visible in the chart of workers, which their lines would hide.
const DRAWN_WEIGHT = 2
const EMPTY = 'nothing measured'

export function MetricCharts({ endpoint, range }: { readonly endpoint: LiveEndpoint; readonly range: Range }) {
  const { id } = endpoint
  const { client, platform } = useApp()
  const { data, error } = useQuery(metricsQuery(client, id, range, platform.now))
  const { data: happened } = useQuery(fleetEventsQuery(client, id, range, platform.now))
  const marks = useMemo(() => toMarks(happened?.events ?? []), [happened])
  const drawn = useMemo(() => marks.filter(({ weight }) => weight >= DRAWN_WEIGHT), [marks])
  const span = useMemo(() => data && { ...data, from: beginOfData(data, marks) }, [data, marks])
  const grid = useMemo(() => span && toGrid(span.points, span), [span])
  const charts = useMemo(() => {
    if (span === undefined || grid === undefined) return undefined
    const { totals } = span
    const series = (
      name: string,
      tone: ChartSeries['tone'],
      read: (point: MetricsPoint) => number | undefined,
      more: Partial<ChartSeries> = {},
    ): ChartSeries => ({ name, tone, values: valuesOf(grid, read), ...more })
    return {
      jobs: [
        series('waiting', 'queued', ({ most }) => most.inQueue),
        series('running', 'running', ({ most }) => most.inProgress),
        series('failed', 'failed', ({ failed }) => failed, { stacked: true, ofRange: totals.failed }),
        series('completed', 'completed', ({ completed }) => completed, { stacked: true, ofRange: totals.completed }),
      ],
      delay: percentileSeries(grid, ({ delay }) => delay, totals.delay),
      execution: percentileSeries(grid, ({ execution }) => execution, totals.execution),
      workers: [
        series('ready', 'completed', ({ most }) => most.ready),
        series('starting', 'running', ({ most }) => most.starting),
        series('unhealthy', 'failed', ({ most }) => most.unhealthy),
        series('cold starts', 'retried', ({ coldStarts }) => coldStarts, { ofRange: totals.coldStarts }),
      ],
    }
  }, [span, grid])

  if (error !== null) return <ErrorNotice error={error} />
  if (data === undefined || span === undefined || grid === undefined || charts === undefined)
    return <Skeleton className="h-[455px]" />
  const shared = { times: grid.times, group: `endpoint ${id}`, marks: drawn, empty: EMPTY }
  return (
    <Card>
      <RangeTotals totals={span.totals} requests={endpoint.loadBalanced !== undefined} />
      <EventsOfSpan endpoint={endpoint} marks={marks} from={span.from} to={span.to} />
      <div className="grid min-h-[360px] grid-cols-1 lg:grid-cols-2">
        <Chart
          title={endpoint.loadBalanced === undefined ? 'Jobs' : 'Requests'}
          series={charts.jobs}
          format={whole}
          {...shared}
        />
        <Chart title="Workers" series={charts.workers} format={whole} {...shared} />
        <Chart title="Waiting time" series={charts.delay} format={duration} ticks={SPAN_TICKS} {...shared} />
        <Chart title="Execution time" series={charts.execution} format={duration} ticks={SPAN_TICKS} {...shared} />
      </div>
      {span.from > data.from && (
        <p className="border-t border-line px-3 py-2 text-small text-ink-2">
          The charts begin at {exactTime(span.from).slice(0, 16)}, with the first data of the time span.
        </p>
      )}
      {span.points.length === 0 && (
        <p className="border-t border-line px-3 py-2 text-ink-2">
          No data in this time span. Charts fill when jobs and workers run.
        </p>
      )}
    </Card>
  )
}

const LEAST_STEPS = 10

/** One step before the first point or mark, which may be long after the range starts. */
export function beginOfData(
  data: {
    readonly points: readonly Pick<MetricsPoint, 'at'>[]
    readonly from: number
    readonly to: number
    readonly stepMs: number
  },
  marks: readonly { readonly at: number }[],
): number {
  const { points, from, to, stepMs } = data
  const [first] = points
  if (first === undefined) return from
  const earliest = marks.reduce((least, { at }) => Math.min(least, at), first.at)
  const step = Math.floor(Math.min(earliest - stepMs, to - LEAST_STEPS * stepMs) / stepMs)
  return Math.max(from, step * stepMs)
}

function percentileSeries(
  grid: MetricsGrid,
  read: (point: MetricsPoint) => MetricsPoint['delay'],
  ofRange: MetricsPoint['delay'],
): readonly ChartSeries[] {
  return [
    { name: 'p50', tone: 'queued', values: valuesOf(grid, (point) => read(point)?.p50), ofRange: ofRange?.p50 },
    {
      name: 'p99',
      tone: 'accent',
      values: valuesOf(grid, (point) => read(point)?.p99),
      ofRange: ofRange?.p99,
      filled: true,
    },
  ]
}

type MetricsGrid = { readonly times: readonly number[]; readonly points: readonly (MetricsPoint | undefined)[] }

/**
 * Lays points on a grid so that missing data shows as gaps. The current step appears once it has data.
 * @param span.from the whole range in ms
 */
export function toGrid(
  points: readonly MetricsPoint[],
  { from, to, stepMs }: { readonly from: number; readonly to: number; readonly stepMs: number },
): MetricsGrid {
  const first = Math.ceil(from / stepMs)
  const byTime = new Map(points.map((point) => [point.at, point]))
  const now = Math.floor(to / stepMs)
  const end = byTime.has(now * stepMs) ? now + 1 : now
  const times = Array.from({ length: Math.max(0, end - first) }, (_step, at) => (first + at) * stepMs)
  return { times, points: times.map((at) => byTime.get(at)) }
}

export function valuesOf(
  grid: MetricsGrid,
  read: (point: MetricsPoint) => number | undefined,
): readonly (number | null)[] {
  return grid.points.map((point) => (point === undefined ? null : (read(point) ?? null)))
}

type EventsOfSpanProps = {
  readonly endpoint: LiveEndpoint
  readonly marks: readonly FleetMark[]
  readonly from: number
  readonly to: number
}

function EventsOfSpan({ endpoint, marks, from, to }: EventsOfSpanProps) {
  const [search, set] = useSearchParts()
  const open = (id: number | undefined) => set({ event: id === undefined ? undefined : String(id) })
  const openId = search.has('event') ? Number(search.get('event')) : undefined
  return (
    <EventStrip label="Events" marks={marks} from={from} to={to} openId={openId} onOpen={open}>
      {(mark) => <MarkDetail mark={mark} endpoint={endpoint} />}
    </EventStrip>
  )
}

function MarkDetail({ mark, endpoint }: { readonly mark: FleetMark; readonly endpoint: LiveEndpoint }) {
  const { kind, workerId, reason, at } = mark.event
  const { app } = endpoint
  return (
    <div className="flex flex-col gap-0.5">
      <p className="flex items-baseline justify-between gap-2">
        <span className="font-medium">{mark.label}</span>
        <span className="text-small text-ink-2">
          <ClockTime at={at} />
        </span>
      </p>
      {reason !== undefined && (
        <p className="break-words text-ink-2">
          <Said text={reason} />
        </p>
      )}
      {workerId !== undefined && (
        <Link to={ADDRESS.worker(workerId)} className="self-start font-mono text-small text-accent hover:underline">
          {workerId}
        </Link>
      )}
      {kind === 'release' && app !== undefined && (
        <TextLink to={ADDRESS.environment(app.name, app.environment, 'releases')} className="self-start">
          Releases of {app.name}
        </TextLink>
      )}
      {kind === 'endpoint' && (
        <TextLink to={ADDRESS.endpoint(endpoint.id, 'settings')} className="self-start">
          Settings
        </TextLink>
      )}
    </div>
  )
}

type FleetMark = EventMark & { readonly event: FleetEvent }

/** Marks for events: worse and rarer ones take precedence over scaling steps. */
export function toMarks(events: readonly FleetEvent[]): readonly FleetMark[] {
  return events.map((event) => ({ id: event.id, at: event.at, event, ...styleOf(event) }))
}

function styleOf({ kind, event }: FleetEvent): Pick<FleetMark, 'tone' | 'label' | 'weight'> {
  switch (kind) {
    case 'crash':
      return { tone: 'failed', label: 'Worker crashed', weight: 4 }
    case 'release':
      return { tone: 'completed', label: 'Release activated', weight: 3 }
    case 'endpoint':
      return { tone: 'timed-out', label: `Endpoint ${event}`, weight: 2 }
    case 'scale':
      return { tone: 'running', label: event === 'initializing' ? 'Worker started' : 'Worker stopped', weight: 1 }
    case 'worker':
      return { tone: 'queued', label: `Worker ${event}`, weight: 0 }
  }
}

function RangeTotals({ totals, requests }: { readonly totals: MetricsTotals; readonly requests: boolean }) {
  const { submitted, completed, failed, coldStarts, execution } = totals
  const rate = failureRate(totals)
  const stats = [
    [requests ? 'Requests' : 'Jobs', whole(submitted)],
    ['Completed', whole(completed)],
    ['Failed', whole(failed), failed > 0],
    ['Failure rate', rate === undefined ? '–' : percent(rate), failed > 0],
    ['Execution p50', execution === undefined ? '–' : duration(execution.p50)],
    ['Execution p99', execution === undefined ? '–' : duration(execution.p99)],
    ['Cold starts', whole(coldStarts)],
  ] as const
  return (
    <dl aria-label="Totals of the range" className="flex flex-wrap gap-x-8 gap-y-2 border-b border-line px-3 py-2">
      {stats.map(([name, value, isBad = false]) => (
        <div key={name}>
          <dt className="text-small text-ink-2">{name}</dt>
          <dd className={isBad ? 'text-section font-medium text-failed-ink' : 'text-section font-medium'}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

// Two digits, so that a small rate does not read as zero.
const percent = (share: number) =>
  share > 0 && share < 0.01 ? '< 1 %' : share < 1 && share > 0.99 ? '> 99 %' : `${Math.round(share * 100)} %`
