import { IMAGE_STEPS, type ImageBuildView, type ImageStep } from '../../../contract/image-builds.ts'

export const NOTHING_BUILT: ImageBuildView = { state: 'none', steps: [], conflicts: [], checks: [] }

export function imageBegun(
  until: ImageStep,
  startedAt: number,
  kept: Pick<ImageBuildView, 'lock' | 'lockText'>,
): ImageBuildView {
  const steps = IMAGE_STEPS.slice(0, IMAGE_STEPS.indexOf(until) + 1)
  return {
    ...NOTHING_BUILT,
    ...kept,
    state: 'running',
    startedAt,
    steps: steps.map((step) => ({ step, state: 'waiting' })),
  }
}

type StepChange = Partial<Omit<ImageBuildView['steps'][number], 'step'>>

export function withStep(view: ImageBuildView, step: ImageStep, change: StepChange): ImageBuildView {
  return { ...view, steps: view.steps.map((one) => (one.step === step ? { ...one, ...change } : one)) }
}

export function imageEnded(
  view: ImageBuildView,
  end: Pick<ImageBuildView, 'problem'> & { readonly state: 'done' | 'failed' | 'cancelled'; readonly endedAt: number },
): ImageBuildView {
  const left = end.state === 'failed' ? 'failed' : 'waiting'
  const steps = view.steps.map((step) => (step.state === 'running' ? { ...step, state: left } : step))
  return { ...view, ...end, steps: [...steps] } as ImageBuildView
}
