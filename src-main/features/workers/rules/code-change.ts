import type { CodeChange } from '../../../contract/endpoint.ts'
import { ago, durationText, withFullStop } from '../../../lib/text.ts'
import { MINUTE_MS } from '../../../lib/units.ts'

export function changedFilesText([first = 'the code', ...others]: readonly string[]): string {
  const more = others.length === 0 ? '' : ` and ${others.length} more ${others.length === 1 ? 'file' : 'files'}`
  return `${first}${more} changed`
}

export function codeChangeOutcome({ state, tookMs = 0, why = '', noneLeft }: CodeChange): string {
  switch (state) {
    case 'starting':
      return 'a worker with the new code starts'
    case 'next':
      return 'the next worker runs the new code'
    case 'live':
      return `live after ${durationText(tookMs)}`
    case 'failed':
      return `the new code does not start${noneLeft ? '' : ', the previous code continues to serve'}: ${withFullStop(why)}`
  }
}

// How long a change is news in lists, ms; source: ours.
const NEWS_MS = MINUTE_MS

export function isNews({ at, state }: CodeChange, now: number): boolean {
  return state === 'failed' || state === 'starting' || now - at < NEWS_MS
}

export function codeChangeText(change: CodeChange, now: number): string {
  return `${changedFilesText(change.files)} ${ago(change.at, now)}: ${codeChangeOutcome(change)}`
}
