import { X } from 'lucide-react'
import type { BuildStep } from '../../../../src-main/contract/build.ts'
import type { BuildView } from '../../../../src-main/contract/projects.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { duration } from '../../../ui/format.ts'
import { StateDot, type StateDotProps } from '../../../ui/StateDot.tsx'
import { StepList } from '../../../ui/StepList.tsx'
import { RelativeTime } from '../../../ui/Values.tsx'
import type { Excludes } from './use-build.ts'

const STEPS: readonly (readonly [BuildStep, string])[] = [
  ['scan', 'Read the source'],
  ['handlers', 'Write handlers'],
  ['requirements', 'Collect requirements'],
  ['install', 'Install packages'],
  ['manifest', 'Write the manifest'],
  ['pack', 'Pack the artifact'],
]

const BUILD_DOTS: Readonly<Record<BuildView['state'], StateDotProps>> = {
  running: { tone: 'running', text: 'Building', pulses: true },
  done: { tone: 'completed', text: 'Built' },
  failed: { tone: 'failed', text: 'Failed' },
  cancelled: { tone: 'cancelled', text: 'Cancelled' },
}

export function BuildSteps({ build }: { readonly build: BuildView }) {
  return (
    <Card title="Steps" aside={<Summary build={build} />}>
      <StepList
        label="Steps of the build"
        steps={STEPS.map(([step, name]) => ({ name, step: build.steps.find((one) => one.step === step) }))}
        isRunning={build.state === 'running'}
      />
    </Card>
  )
}

function Summary({ build: { state, startedAt, endedAt } }: { readonly build: BuildView }) {
  return (
    <div className="flex items-center gap-3">
      <StateDot {...BUILD_DOTS[state]} />
      {endedAt !== undefined && (
        <span className="text-small text-ink-2">
          in {duration(endedAt - startedAt)}, <RelativeTime at={endedAt} />
        </span>
      )}
    </div>
  )
}

export function ExcludedList({ excludes: { names, remove } }: { readonly excludes: Excludes }) {
  if (names.length === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="text-ink-2">Left out of the next build:</span>
      <ul aria-label="Left out" className="flex flex-wrap gap-2">
        {names.map((name) => (
          <li key={name} className="flex items-center rounded-control border border-line bg-surface-1 pl-2">
            {name}
            <IconButton label={`Include ${name} again`} onClick={() => remove(name)}>
              <X />
            </IconButton>
          </li>
        ))}
      </ul>
    </div>
  )
}
