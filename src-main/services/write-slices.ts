import type { Storage } from './ports/storage.ts'
import type { Clock } from './ports/system.ts'

// Of the 10 ms that the event loop is held at most; the commit and what listens to it take the rest.
const SLICE_MS = 3
// A clock of whole milliseconds cannot tell a slice that has just begun; source: ours, some 3 ms of the quickest
// writes.
const MOST = 200

/** What writing in slices needs. */
export type SliceDeps = {
  readonly storage: Pick<Storage, 'write'>
  readonly clock: Pick<Clock, 'steady'>
  /** Asked after each commit: the rest is left for another time. */
  readonly isStopped?: () => boolean
}

/**
 * Writes to many rows in commits so short that the service answers others in between. A commit that fails ends it; what
 * was committed before stays.
 * @param next the next rows to write to, at most so many; none: it is done. A row that was written to must not come
 * again, or it never ends
 * @param write writes to one; it may run twice, so it only writes and returns
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
