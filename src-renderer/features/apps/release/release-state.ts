import type { PlannedStep, ReleaseState, ReleaseStep } from '../../../../src-main/contract/app.ts'
import type { StateDotProps } from '../../../ui/StateDot.tsx'

/** The state of a release, as pages show it. */
export const RELEASE_DOTS: Readonly<Record<ReleaseState, StateDotProps>> = {
  preparing: { tone: 'running', word: 'Preparing', pulses: true },
  active: { tone: 'completed', word: 'Active' },
  superseded: { tone: 'queued', word: 'Superseded' },
  failed: { tone: 'failed', word: 'Failed' },
}

/** How far a release is with an endpoint, as pages show it. */
export const STEP_DOTS: Readonly<Record<ReleaseStep['state'], StateDotProps>> = {
  waiting: { tone: 'queued', word: 'Waiting' },
  starting: { tone: 'running', word: 'Starting', pulses: true },
  ready: { tone: 'completed', word: 'Ready' },
  failed: { tone: 'failed', word: 'Failed' },
  done: { tone: 'completed', word: 'Done' },
}

/** What a release does with an endpoint, in a word. */
export const ACTION_WORDS: Readonly<Record<PlannedStep['action'], string>> = {
  create: 'Create',
  update: 'Update',
  unchanged: 'Unchanged',
  delete: 'Delete',
}
