import clsx from 'clsx'
import {
  AppWindow,
  Boxes,
  Container,
  FileClock,
  FileCode,
  FileX,
  type LucideIcon,
  Network,
  Package,
  SquareTerminal,
  TriangleAlert,
  Workflow,
} from 'lucide-react'
import { Link } from 'wouter'
import type { CodeChange, EndpointCrash, WorkerView } from '../../../src-main/contract/endpoint.ts'
import type { EndpointStats, LiveEndpoint } from '../../../src-main/contract/live.ts'
import { crashSummary, shownCrash } from '../../../src-main/features/endpoints/rules/endpoint-state.ts'
import { errorLine } from '../../../src-main/features/jobs/rules/read-error.ts'
import { codeChangeText, isNews } from '../../../src-main/features/workers/rules/code-change.ts'
import { faultsText } from '../../../src-main/features/workers/rules/faults.ts'
import { splitHint } from '../../../src-main/features/workers/rules/missing-module.ts'
import { workersText } from '../../../src-main/features/workers/rules/pools.ts'
import { counted } from '../../../src-main/lib/text.ts'
import { ADDRESS } from '../../addresses.ts'
import { NameLink } from '../../ui/Links.tsx'
import { useAsCalled } from '../../ui/PageStates.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import type { Column } from '../../ui/table/column.ts'
import { CutName, Nothing, SHORT_SPAN_PX, ShortDuration, useNow } from '../../ui/Values.tsx'
import { groupOfEndpoint } from './endpoint-list-filter.ts'
import {
  type EndpointKindName,
  endpointKind,
  endpointState,
  endpointStateDot,
  nameInApp,
  stateNow,
} from './endpoint-state.ts'

export type EndpointRow = {
  readonly endpoint: LiveEndpoint
  readonly workers: readonly WorkerView[]
  readonly stats: EndpointStats | undefined
}

export const endpointColumns = (isGrouped: boolean): readonly Column<EndpointRow>[] => [
  {
    id: 'name',
    header: 'Name',
    width: isGrouped ? 180 : 220,
    grow: 5,
    sortBy: ({ endpoint }) => endpoint.name,
    cell: ({ endpoint }) => <Name {...endpoint} isGrouped={isGrouped} />,
  },
  ...(isGrouped ? REST : REST.map((column) => (column.id === 'error' ? { ...column, width: 114 } : column))),
]

const REST: readonly Column<EndpointRow>[] = [
  {
    id: 'state',
    header: 'State',
    width: 136,
    grow: 1,
    sortBy: ({ endpoint, workers }) => endpointState(endpoint, workers).text,
    cell: ({ endpoint, workers }) => <State endpoint={endpoint} workers={workers} />,
  },
  {
    id: 'kind',
    header: 'Kind',
    width: 60,
    sortBy: ({ endpoint }) => endpointKind(endpoint),
    cell: ({ endpoint }) => <Kind kind={endpointKind(endpoint)} />,
  },
  {
    id: 'queue',
    header: 'Queue',
    width: 72,
    align: 'right',
    sortBy: ({ endpoint }) => endpoint.inQueue,
    cell: ({ endpoint }) => endpoint.inQueue.toLocaleString('en'),
  },
  {
    id: 'workers',
    header: 'Workers',
    width: 84,
    align: 'right',
    sortBy: ({ workers }) => workers.length,
    cell: ({ endpoint, workers }) =>
      endpoint.graph === undefined ? <WorkerCount workers={workers} endpoint={endpoint} /> : <Nothing />,
  },
  {
    id: 'p50',
    header: 'p50',
    width: SHORT_SPAN_PX,
    align: 'right',
    sortBy: ({ stats }) => stats?.executionP50,
    cell: ({ stats }) => <ShortDuration ms={stats?.executionP50} />,
  },
  {
    id: 'p99',
    header: 'p99',
    width: SHORT_SPAN_PX,
    align: 'right',
    sortBy: ({ stats }) => stats?.executionP99,
    cell: ({ stats }) => <ShortDuration ms={stats?.executionP99} />,
  },
  {
    id: 'hour',
    header: 'Last hour',
    width: 96,
    sortBy: ({ stats }) => stats?.submitted.reduce((sum, one) => sum + one, 0),
    cell: ({ endpoint, stats }) => <LastHour endpoint={endpoint} stats={stats} />,
  },
  {
    id: 'error',
    header: 'Last error',
    width: 154,
    grow: 3,
    sortBy: errorText,
    cell: (row) => <LastError {...row} />,
  },
]

const KIND_ICONS: Readonly<Record<EndpointKindName, LucideIcon>> = {
  'queue, handler': FileCode,
  'queue, command': SquareTerminal,
  'queue, image': Container,
  'queue, app': Package,
  'load-balanced': Network,
  'published graph': Workflow,
}

function Kind({ kind }: { readonly kind: EndpointKindName }) {
  const Icon = KIND_ICONS[kind]
  return (
    <Tooltip text={kind}>
      <Icon role="img" aria-label={kind} className="size-4 text-ink-2" />
    </Tooltip>
  )
}

type NameProps = Pick<LiveEndpoint, 'id' | 'name' | 'app'> & { readonly isGrouped: boolean }

function Name({ id, name, app, isGrouped }: NameProps) {
  const shown = nameInApp({ name, app })
  const isShort = app !== undefined && isGrouped
  const link = (
    <Link
      to={ADDRESS.endpoint(id)}
      // An id without room wraps out of sight; the tooltip has it.
      className="flex h-5 min-w-0 flex-1 flex-wrap content-start items-center gap-x-2 overflow-hidden font-medium hover:underline"
    >
      <CutName name={shown} />
      {shown !== id && !isShort && <span className="font-mono text-small font-normal text-ink-2">{id}</span>}
    </Link>
  )
  return (
    <span className={clsx('flex min-w-0 items-center gap-2', isShort && 'pl-6')}>
      {shown === id ? link : <Tooltip text={id}>{link}</Tooltip>}
      {app !== undefined && !isGrouped && (
        <Tooltip text={`Environment ${app.environment} of app ${app.name}`}>
          <span className={clsx('max-w-3/5 shrink-0 truncate', BADGE)}>
            {app.name}/{app.environment}
          </span>
        </Tooltip>
      )}
    </span>
  )
}

const BADGE = 'rounded-control border border-line bg-surface-2 px-1.5 text-small leading-4.5'

export function GroupName({ app }: Pick<LiveEndpoint, 'app'>) {
  const Icon = app === undefined ? Boxes : AppWindow
  return (
    <>
      <Icon aria-hidden className="size-4 shrink-0 text-ink-2" />
      {app === undefined ? (
        groupOfEndpoint({ app })
      ) : (
        <>
          <NameLink to={ADDRESS.environment(app.name, app.environment)}>{app.name}</NameLink>
          <span className={clsx('font-normal', BADGE)}>{app.environment}</span>
        </>
      )}
    </>
  )
}

export function WorkerCount({ workers, endpoint }: Pick<EndpointRow, 'workers' | 'endpoint'>) {
  const batch = workers.filter(({ pool }) => pool === 'batch').length
  return (
    <span title={workersText(workers, endpoint)}>
      {workers.length - batch} of {endpoint.workersMax}
      {batch > 0 && ` + ${batch}`}
    </span>
  )
}

function crashOf({ endpoint, workers }: Pick<EndpointRow, 'endpoint' | 'workers'>): EndpointCrash | undefined {
  return shownCrash(stateNow(endpoint, workers), endpoint.crash)
}

function whyNotRun(
  row: Pick<EndpointRow, 'endpoint' | 'workers'>,
): { readonly text: string; readonly to: string } | undefined {
  const { id, brokenReason, throttledReason, codeChange } = row.endpoint
  if (brokenReason !== undefined) return { text: brokenReason, to: ADDRESS.publishedGraph(id) }
  const why = crashOf(row)?.lastWords ?? codeChange?.why
  if (why !== undefined) return { text: why, to: ADDRESS.endpoint(id, 'logs') }
  return throttledReason === undefined || stateNow(row.endpoint, row.workers) !== 'throttled'
    ? undefined
    : { text: throttledReason, to: ADDRESS.endpoint(id) }
}

function State({ endpoint, workers }: Pick<EndpointRow, 'endpoint' | 'workers'>) {
  const asCalled = useAsCalled()
  const now = useNow()
  const crash = crashOf({ endpoint, workers })
  const state = stateNow(endpoint, workers)
  const dot = (
    <StateDot {...endpointStateDot(state)} {...(crash && state === 'crashing' && { detail: `${crash.count} ×` })} />
  )
  const why = endpoint.waitingReason ?? (crash && `Crashed ${crashSummary(crash, now)}: ${crash.lastWords}`)
  return (
    <span className="flex items-center gap-2">
      {why === undefined ? (
        dot
      ) : (
        <Tooltip text={asCalled(why)}>
          <span>{dot}</span>
        </Tooltip>
      )}
      {endpoint.codeChange !== undefined && <CodeChangeMark change={endpoint.codeChange} />}
      <FaultInjectionMark faults={endpoint.faults} />
    </span>
  )
}

function CodeChangeMark({ change }: { readonly change: CodeChange }) {
  const now = useNow()
  if (!isNews(change, now)) return null
  const text = codeChangeText(change, now)
  const look = { role: 'img', 'aria-label': text } as const
  return (
    <Tooltip text={text}>
      {change.state === 'failed' ? (
        <FileX {...look} className="size-4 shrink-0 text-failed-ink" />
      ) : (
        <FileClock {...look} className="size-4 shrink-0 text-ink-2" />
      )}
    </Tooltip>
  )
}

function FaultInjectionMark({ faults }: Pick<LiveEndpoint, 'faults'>) {
  if (faults === undefined) return null
  const text = `Fault injection is on: ${faultsText(faults)}`
  return (
    <Tooltip text={text}>
      <TriangleAlert role="img" aria-label={text} className="size-4 shrink-0 text-timed-out" />
    </Tooltip>
  )
}

function LastHour({ endpoint, stats }: Pick<EndpointRow, 'endpoint' | 'stats'>) {
  if (stats === undefined) return null
  const jobs = stats.submitted.reduce((sum, one) => sum + one, 0)
  return (
    <Sparkline
      values={stats.submitted}
      label={`${counted(jobs, endpoint.loadBalanced === undefined ? 'job' : 'request')} in the last hour`}
    />
  )
}

function errorText(row: EndpointRow): string | undefined {
  const error = row.stats?.lastError?.error
  return whyNotRun(row)?.text ?? (error === undefined ? undefined : errorLine(error) || 'no message')
}

function LastError({ endpoint, workers, stats }: EndpointRow) {
  const why = whyNotRun({ endpoint, workers })
  if (why !== undefined) return <ErrorLink {...why} />
  if (stats?.lastError === undefined) return <Nothing />
  const { jobId } = stats.lastError
  const to = jobId === undefined ? ADDRESS.endpoint(endpoint.id, 'requests') : ADDRESS.job(jobId)
  return <ErrorLink text={errorText({ endpoint, workers, stats }) ?? ''} to={to} />
}

function ErrorLink({ text: written, to }: { readonly text: string; readonly to: string }) {
  const text = useAsCalled()(written)
  const { cause } = splitHint(text)
  return (
    <Tooltip text={text}>
      <Link to={to} className="text-failed-ink hover:underline">
        {cause}
      </Link>
    </Tooltip>
  )
}

const WIDTH = 120
const HEIGHT = 20

function Sparkline({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  const most = Math.max(...values, 1)
  const step = WIDTH / Math.max(values.length, 1)
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className="h-5 w-full max-w-30"
      preserveAspectRatio="none"
    >
      <title>{label}</title>
      <path d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} className="stroke-line" strokeWidth="1" />
      <path d={bars(values, most, step)} className="fill-running" />
    </svg>
  )
}

// Values above 0 always have a visible bar.
function bars(values: readonly number[], most: number, step: number): string {
  return values
    .map((value, at) => {
      if (value === 0) return ''
      const height = Math.max(1.5, (value / most) * (HEIGHT - 1))
      return `M${(at * step).toFixed(2)} ${HEIGHT}v${-height.toFixed(2)}h${(step * 0.75).toFixed(2)}v${height.toFixed(2)}z`
    })
    .join('')
}
