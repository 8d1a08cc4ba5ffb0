/** The colour of a state; each has one meaning on all pages. */
export type Tone = 'queued' | 'running' | 'completed' | 'failed' | 'timed-out' | 'cancelled' | 'retried'

/** Tone -> class of a surface in its colour. Written out, because the style sheet is made of the names found in code. */
export const TONE_FILLS: Readonly<Record<Tone, string>> = {
  queued: 'bg-queued',
  running: 'bg-running',
  completed: 'bg-completed',
  failed: 'bg-failed',
  'timed-out': 'bg-timed-out',
  cancelled: 'bg-cancelled',
  retried: 'bg-retried',
}
