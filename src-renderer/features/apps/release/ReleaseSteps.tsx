import type { ReleaseStep } from '../../../../src-main/contract/app.ts'
import { duration } from '../../../ui/format.ts'
import { StateDot } from '../../../ui/StateDot.tsx'
import { ACTION_WORDS, STEP_DOTS } from './release-state.ts'

/** The endpoints of a release. Times are ms since the epoch. */
export type ReleaseStepsProps = {
  readonly steps: readonly ReleaseStep[]
  readonly startedAt: number
  readonly seenAt: Readonly<Record<string, number>>
}

/** How far a release is with each endpoint. Rows keep their places and heights while it goes on. */
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
            <span className="text-ink-2">{ACTION_WORDS[step.action]}</span>
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

// What stays as it is waits for nothing.
function stepDot({ action, state }: ReleaseStep) {
  return action === 'unchanged' && state === 'waiting'
    ? { tone: 'queued' as const, word: 'As it is' }
    : STEP_DOTS[state]
}
