import type { WhatIfRow } from '../../../contract/what-if.ts'
import { counted } from '../../../lib/text.ts'

// Source: ours, a table of so many is read as a whole.
const READABLE = 16

/**
 * Indexes of the rows worth reading: all of a short answer; of a long one the current setting and those that no other
 * beats.
 */
export function rowsToShow(rows: readonly Pick<WhatIfRow, 'isPresent' | 'onFrontier'>[]): readonly number[] {
  const all = [...rows.keys()]
  return rows.length <= READABLE ? all : all.filter((at) => rows[at]?.isPresent || rows[at]?.onFrontier)
}

// Source: ours, p95 of fewer is the longest wait.
const FEW_JOBS = 20

/** Says that an answer of so few jobs is no trend; undefined: there are enough. */
export function fewJobsText(jobs: number): string | undefined {
  if (jobs >= FEW_JOBS) return undefined
  return `Only ${counted(jobs, 'job')} in this time span, so p95 and p99 are just the longest wait. Choose a longer span or another load.`
}

export function leftOutText(count: number): string {
  const are = count === 1 ? 'is' : 'are'
  return `${counted(count, 'further setting')} ${are} left out, because another one is at least as cheap and as quick.`
}
