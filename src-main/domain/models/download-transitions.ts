/**
 * The states of a download, THE table: what the store may write, and which buttons a row has, follow from it.
 *
 * One that waits is started when there is room; one that breaks off waits for its next try, as does one that a service
 * which ended has left running. One that is done, failed or cancelled is over until somebody tries it again.
 */
import type { DownloadState } from '../../contract/models.ts'

/** What may happen to a download. */
export type DownloadEvent = 'start' | 'pause' | 'finish' | 'fail' | 'cancel' | 'retry'

/** From which states to which; source: ours. */
export const DOWNLOAD_TRANSITIONS = {
  start: { from: ['waiting'], to: 'running' },
  pause: { from: ['running'], to: 'waiting' },
  finish: { from: ['running'], to: 'done' },
  fail: { from: ['waiting', 'running'], to: 'failed' },
  cancel: { from: ['waiting', 'running'], to: 'cancelled' },
  retry: { from: ['failed', 'cancelled'], to: 'waiting' },
} as const satisfies Record<DownloadEvent, { readonly from: readonly DownloadState[]; readonly to: DownloadState }>

/** Whether something may happen to a download in a state. */
export const mayHappen = (event: DownloadEvent, state: DownloadState): boolean =>
  (DOWNLOAD_TRANSITIONS[event].from as readonly DownloadState[]).includes(state)

/** Whether a download goes on by nothing but a person's word. */
export const hasEnded = (state: DownloadState): boolean => !mayHappen('cancel', state)

const PAUSES_MS = [1000, 2000, 5000, 10_000, 30_000, 60_000] as const
/** Tries in a row without a byte, after which a download fails; source: ours, some ten minutes. */
export const TRIES_MAX = 12

/** How long to wait before the next try. @param tries that have brought nothing, from 1 on */
export const pauseBefore = (tries: number): number => PAUSES_MS[Math.min(tries, PAUSES_MS.length) - 1] ?? 1000
