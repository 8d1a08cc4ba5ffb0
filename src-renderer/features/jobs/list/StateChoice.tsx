import clsx from 'clsx'
import { ToggleGroup } from 'radix-ui'
import { JOB_STATES, type JobState } from '../../../../src-main/contract/job.ts'
import { JobStateDot } from '../../../ui/StateDot.tsx'

/** Which states are let through; none chosen: all. */
export type StateChoiceProps = {
  readonly value: readonly JobState[]
  readonly onChange: (states: readonly JobState[]) => void
}

/** Chooses states of jobs; each press adds or takes away one. */
export function StateChoice({ value, onChange }: StateChoiceProps) {
  return (
    <ToggleGroup.Root
      type="multiple"
      aria-label="States"
      value={[...value]}
      onValueChange={(chosen) => onChange(JOB_STATES.filter((state) => chosen.includes(state)))}
      className="flex flex-wrap gap-1"
    >
      {JOB_STATES.map((state) => (
        <ToggleGroup.Item
          key={state}
          value={state}
          className={clsx(
            'h-7 rounded-control border border-line bg-surface-1 px-2 text-small hover:bg-surface-2',
            'data-[state=on]:border-accent data-[state=on]:bg-accent-soft',
          )}
        >
          <JobStateDot state={state} still />
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}
