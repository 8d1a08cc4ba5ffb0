import { duration } from './format.ts'
import { StateDot, type StateDotProps } from './StateDot.tsx'

type Step = {
  readonly state: 'waiting' | 'running' | 'done' | 'failed'
  readonly tookMs?: number | undefined
  readonly text?: string | undefined
}

const DOTS: Readonly<Record<Step['state'], StateDotProps>> = {
  waiting: { tone: 'queued', text: 'Waiting' },
  running: { tone: 'running', text: 'Running', pulses: true },
  done: { tone: 'completed', text: 'Done' },
  failed: { tone: 'failed', text: 'Failed' },
}

type StepListProps = {
  readonly label: string
  readonly steps: readonly { readonly name: string; readonly step: Step | undefined }[]
  readonly isRunning: boolean
  readonly isNarrow?: boolean
}

export function StepList({ label, steps, isRunning, isNarrow = false }: StepListProps) {
  const row = isNarrow
    ? 'grid grid-cols-[minmax(0,1fr)_6rem_4rem] items-center gap-x-3 py-1.5'
    : 'grid h-8 grid-cols-[11rem_6rem_minmax(0,1fr)_4rem] items-center gap-x-3 px-3'
  return (
    <ol aria-label={label} className="flex flex-col">
      {steps.map(({ name, step }) => (
        <li key={name} className={`${row} border-b border-line/60 last:border-0`}>
          <span className={isNarrow ? '' : 'truncate'}>{name}</span>
          <StateDot {...stepDot(step, isRunning)} />
          <span
            className={`${isNarrow ? 'order-last col-span-full wrap-anywhere' : 'truncate'} font-mono text-small text-ink-2`}
            title={step?.text}
          >
            {step?.text}
          </span>
          <span className="text-right text-small text-ink-2">
            {step?.tookMs !== undefined && duration(step.tookMs)}
          </span>
        </li>
      ))}
    </ol>
  )
}

function stepDot(step: Step | undefined, isRunning: boolean): StateDotProps {
  const isOpen = step === undefined || step.state === 'waiting'
  return isOpen && !isRunning ? { tone: 'queued', text: 'Not run' } : DOTS[step?.state ?? 'waiting']
}
