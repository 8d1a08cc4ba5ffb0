import clsx from 'clsx'
import { Hourglass } from 'lucide-react'
import { useMemo } from 'react'
import { Link } from 'wouter'
import type { JobState } from '../../../../src-main/contract/job.ts'
import type { JobHistoryEntry } from '../../../../src-main/contract/management.ts'
import { aheadText, startWords } from '../../../../src-main/features/jobs/rules/expected-start.ts'
import { isFinal } from '../../../../src-main/features/jobs/rules/transitions.ts'
import { capitalized, withFullStop } from '../../../../src-main/lib/text.ts'
import { HOUR_MS } from '../../../../src-main/lib/units.ts'
import { ADDRESS } from '../../../addresses.ts'
import type { JobDetail } from '../../../api-client/jobs.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { TONE_FILLS } from '../../../ui/colours.ts'
import { duration, exactTime } from '../../../ui/format.ts'
import { IdLink } from '../../../ui/Links.tsx'
import { InstallButton } from '../../../ui/output/InstallButton.tsx'
import { EmptyState, Said } from '../../../ui/PageStates.tsx'
import { StateDot } from '../../../ui/StateDot.tsx'
import { type Column, Table } from '../../../ui/table/Table.tsx'
import { useTell } from '../../../ui/use-tell.ts'
import { Duration, Elapsed, Nothing, useNow } from '../../../ui/Values.tsx'
import {
  type Attempt,
  attemptsOf,
  type Timeline as Laid,
  layTimeline,
  spanText,
  stepText,
  type TimelineSpan,
  type TimelineStep,
  toneOf,
} from './lay-timeline.ts'

const SPAN_COLOURS: Readonly<Record<JobState, string>> = {
  IN_QUEUE: 'bg-queued/25',
  IN_PROGRESS: 'bg-running/30',
  COMPLETED: 'bg-completed/25',
  FAILED: 'bg-failed/25',
  CANCELLED: 'bg-cancelled/25',
  TIMED_OUT: 'bg-timed-out/25',
}

// Ten updates per second make the bar smooth enough.
const MOVES_EVERY_MS = 100

export function Timeline({ job: { history, error } }: { readonly job: Pick<JobDetail, 'history' | 'error'> }) {
  const last = history.at(-1)
  if (last !== undefined && !isFinal(last.to)) return <Moving history={history} />
  return <Drawn timeline={layTimeline(withoutError(history, error), last?.at ?? 0)} />
}

// The page already shows the error above, so the last step omits it.
function withoutError(history: readonly JobHistoryEntry[], error: string | undefined): readonly JobHistoryEntry[] {
  const last = history.at(-1)
  if (last === undefined || last.reason === undefined || last.reason !== error) return history
  const { reason: _same, ...rest } = last
  return [...history.slice(0, -1), rest]
}

function Moving({ history }: { readonly history: readonly JobHistoryEntry[] }) {
  return <Drawn timeline={layTimeline(history, useNow(MOVES_EVERY_MS))} />
}

function Drawn({ timeline }: { readonly timeline: Laid }) {
  const { spans, steps, from, to, goesOn } = timeline
  const length = Math.max(1, to - from)
  return (
    <div className="flex flex-col gap-3 p-3">
      <div aria-hidden className="relative h-9 overflow-hidden rounded-control bg-surface-2">
        {spans.map((span) => (
          <Span
            key={span.from}
            span={span}
            text={spanText(span, goesOn && span === spans.at(-1))}
            from={from}
            length={length}
          />
        ))}
        {steps.map((step) => (
          <span
            key={`${step.at} ${step.event} ${step.attempt}`}
            className={clsx('absolute inset-y-0 w-0.5 -translate-x-px', TONE_FILLS[toneOf(step)])}
            style={{ left: `clamp(1px, ${(100 * (step.at - from)) / length}%, calc(100% - 1px))` }}
          />
        ))}
      </div>
      <ol aria-label="Job events" className="grid max-h-64 grid-cols-[auto_auto_1fr] gap-x-4 gap-y-1 overflow-y-auto">
        {steps.map((step) => (
          <Step key={`${step.at} ${step.event} ${step.attempt}`} step={step} from={from} />
        ))}
      </ol>
    </div>
  )
}

type SpanProps = {
  readonly span: TimelineSpan
  readonly text: string
  readonly from: number
  readonly length: number
}

function Span({ span, text, from, length }: SpanProps) {
  const share = (100 * (span.to - span.from)) / length
  return (
    <span
      className={clsx(
        'absolute inset-y-0 flex items-center justify-center overflow-hidden px-1 text-small whitespace-nowrap',
        SPAN_COLOURS[span.state],
      )}
      style={{ left: `${(100 * (span.from - from)) / length}%`, width: `${share}%` }}
    >
      <span className="flex h-5 flex-wrap justify-center overflow-hidden">
        {/* a label that does not fit wraps out of sight */}
        <span className="h-5" />
        <span>{text}</span>
      </span>
    </span>
  )
}

function Step({ step, from }: { readonly step: TimelineStep; readonly from: number }) {
  return (
    <li className="col-span-3 grid grid-cols-subgrid">
      <StateDot tone={toneOf(step)} text={stepText(step)} />
      <time dateTime={new Date(step.at).toISOString()} title={exactTime(step.at)} className="text-right text-ink-2">
        {sinceBegin(step.at - from)}
      </time>
      <span className="min-w-0 break-words text-ink-2">
        {step.event === 'claim' && step.workerId !== undefined && (
          <>
            try {step.attempt} on <IdLink to={ADDRESS.worker(step.workerId)}>{step.workerId}</IdLink>{' '}
          </>
        )}
        {step.reason !== undefined && <Said text={step.reason} />}
      </span>
    </li>
  )
}

const sinceBegin = (ms: number) => (ms < 1 ? 'at once' : `after ${duration(Math.min(ms, 1000 * HOUR_MS))}`)

const COLUMNS: readonly Column<Attempt>[] = [
  { id: 'number', header: 'Try', width: 72, cell: ({ number }) => number },
  {
    id: 'worker',
    header: 'Worker',
    width: 150,
    cell: ({ workerId }) =>
      workerId === undefined ? <Nothing /> : <IdLink to={ADDRESS.worker(workerId)}>{workerId}</IdLink>,
  },
  { id: 'from', header: 'Taken', width: 190, cell: ({ from }) => exactTime(from) },
  {
    id: 'ran',
    header: 'Ran',
    width: 110,
    align: 'right',
    cell: ({ from, to }) => (to === undefined ? <Elapsed since={from} /> : <Duration ms={to - from} />),
  },
  {
    id: 'end',
    header: 'End',
    width: 220,
    grow: 1,
    cell: ({ end }) =>
      end === undefined ? (
        <StateDot tone="running" text="Running" pulses />
      ) : (
        <StateDot tone={toneOf(end)} text={stepText(end)} detail={end.reason} />
      ),
  },
]

const idOf = ({ number }: Attempt) => String(number)

export function AttemptsTab({ history }: { readonly history: readonly JobHistoryEntry[] }) {
  const attempts = useMemo(() => attemptsOf(history).toReversed(), [history])
  if (attempts.length === 0) return <EmptyState>No worker has taken this job yet.</EmptyState>
  return (
    <Table
      label="Tries"
      columns={COLUMNS}
      rows={attempts}
      rowId={idOf}
      className="rounded-control border border-line bg-surface-1"
    />
  )
}

export function WhyItWaits({ job }: { readonly job: JobDetail }) {
  const { client } = useApp()
  const { attempt } = useTell()
  const now = useNow()
  const { endpointId, waitingReason, history } = job
  const paused = useAppState(({ live }) => live.endpoints[endpointId]?.paused === true)
  const since = history.at(-1)?.at ?? job.createdAt
  const resume = () => attempt(() => client.call('endpointResume', { path: { endpointId } }))
  return (
    <div role="status" className="flex items-center gap-2 rounded-control bg-warn-soft px-3 py-2 text-warn-ink">
      <Hourglass aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 flex-1 break-words">
        Waits for {duration(Math.max(0, now - since))}:{' '}
        <Said text={withFullStop(waitingReason ?? 'a worker takes it in a moment')} />
        {job.queue !== undefined && <Standing queue={job.queue} reason={waitingReason} now={now} />}
      </p>
      {job.queue !== undefined && (
        <Link to={ADDRESS.endpoint(endpointId, 'queue')} className="shrink-0 underline">
          Queue of {endpointId}
        </Link>
      )}
      <InstallButton error={waitingReason ?? ''} endpointId={endpointId} />
      {paused ? (
        <Button onClick={() => void resume()}>Resume {endpointId}</Button>
      ) : (
        <Link to={ADDRESS.endpoint(endpointId, 'workers')} className="shrink-0 underline">
          Workers of {endpointId}
        </Link>
      )}
    </div>
  )
}

type StandingProps = {
  readonly queue: NonNullable<JobDetail['queue']>
  readonly reason: string | undefined
  readonly now: number
}

function Standing({ queue, reason, now }: StandingProps) {
  const { start, how } = queue
  const isTold = reason !== undefined && how.endsWith(withFullStop(reason))
  return (
    <span className="block">
      {capitalized(aheadText(queue))}.{' '}
      {start !== undefined && `Expected to start ${startWords(start, now)}. Computed from: `}
      {!isTold && how}
    </span>
  )
}
