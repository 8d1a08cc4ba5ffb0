import clsx from 'clsx'
import { Link } from 'wouter'
import type { JobState } from '../../../../src-main/contract/job.ts'
import type { JobHistoryEntry } from '../../../../src-main/contract/management.ts'
import { isFinal } from '../../../../src-main/domain/job/transitions.ts'
import { ADDRESS } from '../../../addresses.ts'
import type { JobDetail } from '../../../api-client/job-queries.ts'
import { duration, exactTime } from '../../../ui/format.ts'
import { StateDot } from '../../../ui/StateDot.tsx'
import { TONE_FILLS } from '../../../ui/tone.ts'
import { useNow } from '../../../ui/use-now.ts'
import { type Timeline as Laid, layTimeline, stepWords, type TimelineSpan, type TimelineStep } from './lay-timeline.ts'
import { toneOf } from './step-tone.ts'

const SPAN_COLOURS: Readonly<Record<JobState, string>> = {
  IN_QUEUE: 'bg-queued/25',
  IN_PROGRESS: 'bg-running/30',
  COMPLETED: 'bg-completed/25',
  FAILED: 'bg-failed/25',
  CANCELLED: 'bg-cancelled/25',
  TIMED_OUT: 'bg-timed-out/25',
}
const SPAN_WORDS: Readonly<Record<JobState, string>> = {
  IN_QUEUE: 'waited',
  IN_PROGRESS: 'ran',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TIMED_OUT: 'timed out',
}

// A bar that moves ten times a second is smooth enough to be read.
const MOVES_EVERY_MS = 100
const HOUR_MS = 3_600_000

/** The life of a job, to scale, and below it each step with its reason. */
export function Timeline({ job: { history, error } }: { readonly job: Pick<JobDetail, 'history' | 'error'> }) {
  const last = history.at(-1)
  if (last !== undefined && !isFinal(last.to)) return <Moving history={history} />
  return <Drawn timeline={layTimeline(withoutError(history, error), last?.at ?? 0)} />
}

// The page says above why the job failed; its last step need not say it again.
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
  const { spans, steps, from, to } = timeline
  const length = Math.max(1, to - from)
  return (
    <div className="flex flex-col gap-3 p-3">
      <div aria-hidden className="relative h-9 overflow-hidden rounded-control bg-surface-2">
        {spans.map((span) => (
          <Span key={span.from} span={span} from={from} length={length} />
        ))}
        {steps.map((step) => (
          <span
            key={`${step.at} ${step.event} ${step.attempt}`}
            className={clsx('absolute inset-y-0 w-0.5 -translate-x-px', TONE_FILLS[toneOf(step)])}
            style={{ left: `clamp(1px, ${(100 * (step.at - from)) / length}%, calc(100% - 1px))` }}
          />
        ))}
      </div>
      <ol
        aria-label="What happened"
        className="grid max-h-64 grid-cols-[auto_auto_1fr] gap-x-4 gap-y-1 overflow-y-auto"
      >
        {steps.map((step) => (
          <Step key={`${step.at} ${step.event} ${step.attempt}`} step={step} from={from} />
        ))}
      </ol>
    </div>
  )
}

function Span({ span, from, length }: { readonly span: TimelineSpan; readonly from: number; readonly length: number }) {
  const share = (100 * (span.to - span.from)) / length
  return (
    <span
      className={clsx(
        'absolute inset-y-0 flex items-center justify-center overflow-hidden px-1 text-small whitespace-nowrap',
        SPAN_COLOURS[span.state],
      )}
      style={{ left: `${(100 * (span.from - from)) / length}%`, width: `${share}%` }}
    >
      {share > 8 && `${SPAN_WORDS[span.state]} ${duration(span.to - span.from)}`}
    </span>
  )
}

function Step({ step, from }: { readonly step: TimelineStep; readonly from: number }) {
  return (
    <li className="col-span-3 grid grid-cols-subgrid">
      <StateDot tone={toneOf(step)} word={stepWords(step)} />
      <time dateTime={new Date(step.at).toISOString()} title={exactTime(step.at)} className="text-right text-ink-2">
        {sinceBegin(step.at - from)}
      </time>
      <span className="min-w-0 break-words text-ink-2">
        {step.event === 'claim' && step.workerId !== undefined && (
          <>
            attempt {step.attempt} on{' '}
            <Link to={ADDRESS.worker(step.workerId)} className="font-mono text-small hover:underline">
              {step.workerId}
            </Link>{' '}
          </>
        )}
        {step.reason}
      </span>
    </li>
  )
}

const sinceBegin = (ms: number) => (ms < 1 ? 'at once' : `after ${duration(Math.min(ms, 1000 * HOUR_MS))}`)
