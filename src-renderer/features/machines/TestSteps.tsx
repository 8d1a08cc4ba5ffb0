import { LoaderCircle } from 'lucide-react'
import type { MachineView } from '../../../src-main/contract/machines.ts'
import type { DoctorRow } from '../../../src-main/contract/system.ts'
import { CheckMark } from '../../ui/CheckMark.tsx'

export function TestSteps({ test: { steps, isRunning } }: Pick<MachineView, 'test'>) {
  return (
    <>
      <ul aria-label="Steps of the test" className="divide-y divide-line">
        {steps.map((step) => (
          <Step key={step.check} step={step} />
        ))}
      </ul>
      <p role="status" className="flex items-center gap-2 px-3 py-2 text-ink-2">
        {isRunning && <LoaderCircle aria-hidden className="size-4 motion-safe:animate-spin" />}
        {isRunning ? 'Running the next check.' : verdictOf(steps)}
      </p>
    </>
  )
}

export function verdictOf(steps: readonly DoctorRow[]): string {
  if (steps.length === 0) return 'It has not been tested since the service started.'
  const failed = steps.find(({ state }) => state === 'failed')
  if (failed !== undefined) return `It cannot run workers yet: ${failed.check} failed. Fix it, then test again.`
  return steps.some(({ state }) => state === 'warning')
    ? 'It can run workers, except those affected by a warning.'
    : 'It can run workers.'
}

function Step({ step: { check, state, found, fix } }: { readonly step: DoctorRow }) {
  return (
    <li className="grid grid-cols-[1rem_minmax(0,1fr)] gap-x-3 px-3 py-2">
      <CheckMark state={state} />
      <div className="flex min-w-0 flex-col gap-0.5">
        <p className="break-words">
          <span className="font-medium">{check}</span>: {found}
        </p>
        {fix !== undefined && <p className="text-small break-words text-ink-2">{fix}</p>}
      </div>
    </li>
  )
}
