import type { JobState } from '../../../../src-main/contract/job.ts'
import type { Tone } from '../../../ui/tone.ts'

const TONES: Readonly<Record<JobState, Tone>> = {
  IN_QUEUE: 'queued',
  IN_PROGRESS: 'running',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TIMED_OUT: 'timed-out',
}

/** The colour of a step: that of the state it leads to; back to the queue it is a retry, within it none. */
export function toneOf({ event, to }: { readonly event: string; readonly to: JobState }): Tone {
  return to === 'IN_QUEUE' && event !== 'submit' && event !== 'reorder' ? 'retried' : TONES[to]
}
