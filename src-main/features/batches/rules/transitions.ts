import type { BatchState } from '../../../contract/batch.ts'

type Transition = { readonly from: readonly BatchState[]; readonly to: BatchState; readonly source: string }

/** THE table of batch transitions: guards, refusals and tests are derived from it. */
export const BATCH_TRANSITIONS = {
  finalize: { from: ['DRAFT'], to: 'FINALIZED', source: 'docs/spec/batches.md, 1: its requests become jobs' },
  cancel: { from: ['DRAFT', 'FINALIZED'], to: 'CANCELLED', source: 'docs/spec/batches.md, 1: what waits is cancelled' },
  fail: { from: ['FINALIZED'], to: 'FAILED', source: 'docs/spec/batches.md, 1: its endpoint takes no more jobs' },
} as const satisfies Record<string, Transition>

export type BatchEvent = keyof typeof BATCH_TRANSITIONS

export const BATCH_EVENTS = Object.keys(BATCH_TRANSITIONS) as readonly BatchEvent[]

export const mayMove = (state: BatchState, event: BatchEvent): boolean =>
  (BATCH_TRANSITIONS[event].from as readonly BatchState[]).includes(state)
