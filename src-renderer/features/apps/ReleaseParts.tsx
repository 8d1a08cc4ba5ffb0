import clsx from 'clsx'
import { GitCommitHorizontal } from 'lucide-react'
import type { DeployPlan, GitState, PlannedStep, ReleaseState, ReleaseStep } from '../../../src-main/contract/app.ts'
import { CopyButton } from '../../ui/Button.tsx'
import { duration } from '../../ui/format.ts'
import { StateDot, type StateDotProps } from '../../ui/StateDot.tsx'

/** The endpoints of a release; all times are ms since the epoch. */
export type ReleaseStepsProps = {
  readonly steps: readonly ReleaseStep[]
  readonly startedAt: number
  readonly seenAt: Readonly<Record<string, number>>
}

export function ReleaseSteps({ steps, startedAt, seenAt }: ReleaseStepsProps) {
  if (steps.length === 0) return null
  return (
    <ol aria-label="Endpoints of the release" className="flex flex-col">
      {steps.map((step) => {
        const at = step.state === 'ready' || step.state === 'failed' ? seenAt[step.resource] : undefined
        return (
          <li
            key={step.resource}
            className="grid min-h-8 grid-cols-[minmax(8rem,14rem)_6rem_6rem_minmax(0,1fr)_4rem] items-start gap-x-3 border-b border-line/60 px-3 py-1.5 last:border-0"
          >
            <span className="truncate font-medium" title={step.resource}>
              {step.resource}
            </span>
            <span className="text-ink-2">{ACTION_TEXTS[step.action]}</span>
            <StateDot {...stepDot(step)} />
            <span className="min-w-0 break-words whitespace-pre-wrap text-ink-2">{step.note}</span>
            <span className="text-right text-small text-ink-2">
              {at !== undefined && duration(Math.max(0, at - startedAt))}
            </span>
          </li>
        )
      })}
    </ol>
  )
}

function stepDot({ action, state }: ReleaseStep) {
  return action === 'unchanged' && state === 'waiting'
    ? { tone: 'queued' as const, text: 'As it is' }
    : STEP_DOTS[state]
}

type CommitLineProps = { readonly git: GitState; readonly label?: string; readonly className?: string }

const SHORT = 8

export function CommitLine({ git: { commit, branch, message, clean }, label, className }: CommitLineProps) {
  return (
    <p className={clsx('flex min-w-0 items-center gap-1.5 text-small text-ink-2', className)}>
      <GitCommitHorizontal aria-hidden className="size-4 shrink-0" />
      {label !== undefined && <span className="shrink-0">{label}</span>}
      {branch !== undefined && <span className="max-w-48 shrink-0 truncate font-medium">{branch}</span>}
      <code className="font-mono">{commit.slice(0, SHORT)}</code>
      <CopyButton text={commit} what={`commit ${commit.slice(0, SHORT)}`} />
      <span className="min-w-0 truncate" title={message}>
        {message}
      </span>
      {!clean && <span className="shrink-0 whitespace-nowrap text-ink">with changes that are not committed</span>}
    </p>
  )
}

export const RELEASE_DOTS: Readonly<Record<ReleaseState, StateDotProps>> = {
  preparing: { tone: 'running', text: 'Preparing', pulses: true },
  active: { tone: 'completed', text: 'Active' },
  superseded: { tone: 'queued', text: 'Superseded' },
  failed: { tone: 'failed', text: 'Failed' },
}

const STEP_DOTS: Readonly<Record<ReleaseStep['state'], StateDotProps>> = {
  waiting: { tone: 'queued', text: 'Waiting' },
  starting: { tone: 'running', text: 'Starting', pulses: true },
  ready: { tone: 'completed', text: 'Ready' },
  failed: { tone: 'failed', text: 'Failed' },
  done: { tone: 'completed', text: 'Done' },
}

export const ACTION_TEXTS: Readonly<Record<PlannedStep['action'], string>> = {
  create: 'Create',
  update: 'Update',
  unchanged: 'Unchanged',
  delete: 'Delete',
}

const ORDER: readonly PlannedStep['action'][] = ['create', 'update', 'unchanged', 'delete']

export function countSteps({ steps }: Pick<DeployPlan, 'steps'>): string {
  const counts = ORDER.map((action) => ({ action, count: steps.filter((step) => step.action === action).length }))
  const texts = counts.filter(({ count }) => count > 0).map(({ action, count }) => `${count} ${action}`)
  return texts.length === 0 ? 'no endpoints' : texts.join(', ')
}
