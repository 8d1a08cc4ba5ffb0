import type { Clock } from './clock.ts'

// Of at most 10 ms per event loop turn; the commit and its listeners take the rest.
const SLICE_MS = 3
// A millisecond clock cannot measure a slice that has just begun; source: ours, some 3 ms of the fastest writes.
const MOST = 200

export type SliceDeps = {
  readonly storage: { readonly write: <Result>(work: () => Result) => Promise<Result> }
  readonly clock: Pick<Clock, 'steady'>
  readonly isStopped?: () => boolean
}

/**
 * Writes many rows in short commits that let others in; earlier commits stay if one fails.
 * @param next the next rows, none ends it; written rows must not recur
 * @param write may run twice, so it only writes
 * @returns how many writes returned true
 */
export async function writeInSlices<T>(
  { storage, clock, isStopped = () => false }: SliceDeps,
  next: (most: number) => readonly T[],
  write: (row: T) => boolean,
): Promise<number> {
  let written = 0
  for (;;) {
    const slice = await storage.write(() => writeSlice(clock, next(MOST), write))
    written += slice ?? 0
    if (slice === undefined || isStopped()) return written
  }
}

function writeSlice<T>(
  clock: Pick<Clock, 'steady'>,
  rows: readonly T[],
  write: (row: T) => boolean,
): number | undefined {
  if (rows.length === 0) return undefined
  const end = clock.steady() + SLICE_MS
  let written = 0
  for (const [at, row] of rows.entries()) {
    if (at > 0 && clock.steady() >= end) break
    if (write(row)) written += 1
  }
  return written
}
