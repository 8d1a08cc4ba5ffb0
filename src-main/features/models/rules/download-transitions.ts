import type { DownloadState } from '../../../contract/models.ts'

export type DownloadEvent = 'start' | 'pause' | 'finish' | 'fail' | 'cancel' | 'retry'

export const DOWNLOAD_TRANSITIONS = {
  start: { from: ['waiting'], to: 'running' },
  pause: { from: ['running'], to: 'waiting' },
  finish: { from: ['running'], to: 'done' },
  fail: { from: ['waiting', 'running'], to: 'failed' },
  cancel: { from: ['waiting', 'running'], to: 'cancelled' },
  retry: { from: ['failed', 'cancelled'], to: 'waiting' },
} as const satisfies Record<DownloadEvent, { readonly from: readonly DownloadState[]; readonly to: DownloadState }>

export const mayHappen = (event: DownloadEvent, state: DownloadState): boolean =>
  (DOWNLOAD_TRANSITIONS[event].from as readonly DownloadState[]).includes(state)

export const hasEnded = (state: DownloadState): boolean => !mayHappen('cancel', state)

const PAUSES_MS = [1000, 2000, 5000, 10_000, 30_000, 60_000] as const
/** Tries in a row without a byte before it fails; source: ours, about ten minutes. */
export const TRIES_MAX = 12

/**
 * ms before the next try.
 * @param tries fruitless tries, from 1
 */
export const pauseBefore = (tries: number): number => PAUSES_MS[Math.min(tries, PAUSES_MS.length) - 1] ?? 1000
