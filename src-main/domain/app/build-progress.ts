import { BUILD_STEPS, type BuildEvent, type BuildProblem } from '../../contract/build.ts'
import type { BuildView } from '../../contract/projects.ts'
import { assertNever } from '../assert-never.ts'

/** A build that begins. @param startedAt ms since the epoch */
export function buildBegun(startedAt: number): BuildView {
  const steps = BUILD_STEPS.map((step) => ({ step, state: 'waiting' as const }))
  return { state: 'running', startedAt, steps, problems: [], warnings: [] }
}

/** A build after what it told. */
export function buildWith(view: BuildView, event: BuildEvent): BuildView {
  return { ...view, steps: view.steps.map((step) => (step.step === event.step ? stepWith(step, event) : step)) }
}

type Step = BuildView['steps'][number]

function stepWith(step: Step, event: BuildEvent): Step {
  switch (event.kind) {
    case 'started':
      return { step: step.step, state: 'running' }
    case 'progress':
      return { ...step, text: event.text }
    case 'ended':
      return { step: step.step, state: 'done', tookMs: event.tookMs, text: event.summary }
    default:
      return assertNever(event)
  }
}

/** A build that has ended without a result: the step that was under way failed, or goes back where it was cancelled. */
export function buildStopped(
  view: BuildView,
  {
    state,
    endedAt,
    problems,
  }: {
    readonly state: 'failed' | 'cancelled'
    /** ms since the epoch. */
    readonly endedAt: number
    readonly problems: readonly BuildProblem[]
  },
): BuildView {
  const left = state === 'failed' ? 'failed' : 'waiting'
  return {
    ...view,
    state,
    endedAt,
    problems: [...problems],
    steps: view.steps.map((step) => (step.state === 'running' ? { ...step, state: left } : step)),
  }
}
