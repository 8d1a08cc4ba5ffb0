import type { JobState } from '../../../contract/job.ts'

type Transition = { readonly from: readonly JobState[]; readonly to: JobState; readonly source: string }

/**
 * THE table of job transitions, from which guards, CHECK lists, actions and tests are derived; nobody assigns a state.
 */
export const TRANSITIONS = {
  claim: { from: ['IN_QUEUE'], to: 'IN_PROGRESS', source: 'docs/spec/job-api.md, 4: a worker picks the job' },
  progress: { from: ['IN_PROGRESS'], to: 'IN_PROGRESS', source: 'docs/spec/worker-protocol.md, 2: job-done' },
  complete: { from: ['IN_PROGRESS'], to: 'COMPLETED', source: 'docs/spec/job-api.md, 4: worker finishes' },
  fail: { from: ['IN_PROGRESS'], to: 'FAILED', source: 'docs/spec/job-api.md, 4: the handler fails' },
  exceedExecution: { from: ['IN_PROGRESS'], to: 'FAILED', source: 'docs/spec/job-api.md, 4: executionTimeout passes' },
  rescue: { from: ['IN_PROGRESS'], to: 'IN_QUEUE', source: 'docs/spec/job-api.md, 4: worker lost, tries left' },
  abandon: { from: ['IN_PROGRESS'], to: 'FAILED', source: 'docs/spec/job-api.md, 4: worker lost, no tries left' },
  release: {
    from: ['IN_PROGRESS'],
    to: 'IN_QUEUE',
    source: 'ours, because a dispatch that never began is not an attempt',
  },
  expire: { from: ['IN_QUEUE', 'IN_PROGRESS'], to: 'TIMED_OUT', source: 'docs/spec/job-api.md, 4: ttl passes' },
  cancel: { from: ['IN_QUEUE', 'IN_PROGRESS'], to: 'CANCELLED', source: 'docs/spec/job-api.md, 4: POST cancel' },
  purge: { from: ['IN_QUEUE'], to: 'CANCELLED', source: 'docs/spec/job-api.md, 4: POST purge-queue' },
  retry: { from: ['FAILED', 'TIMED_OUT'], to: 'IN_QUEUE', source: 'docs/spec/job-api.md, 4: POST retry' },
} as const satisfies Record<string, Transition>

export type JobEvent = keyof typeof TRANSITIONS

export const JOB_EVENTS = Object.keys(TRANSITIONS) as readonly JobEvent[]

const FINAL: readonly JobState[] = ['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT']

export function isFinal(state: JobState): boolean {
  return FINAL.includes(state)
}

export function canMove(state: JobState, event: JobEvent): boolean {
  return (TRANSITIONS[event].from as readonly JobState[]).includes(state)
}
