/**
 * Keeps the archive of jobs within its time and its size. Above the size the largest outputs go first, and leave their
 * records; outputs that are no larger than a record go with it, oldest first.
 */
import type { ServiceSettings } from '../../contract/management.ts'
import type { Storage } from '../ports.ts'
import { type SliceDeps, writeInSlices } from '../write-slices.ts'

const DAY_MS = 86_400_000
const MIB = 1024 * 1024

/** An output up to this size takes no more than its record, and stays as long; bytes. */
export const SMALL_OUTPUT_BYTES = 4096

type Deps = SliceDeps & { readonly storage: Pick<Storage, 'write' | 'archive' | 'jobs'> }

/** Removes what is too old, and what is too much. */
export async function sweepArchive(
  deps: Deps,
  { jobHistoryDays, jobHistoryMaxMib }: Pick<ServiceSettings, 'jobHistoryDays' | 'jobHistoryMaxMib'>,
): Promise<void> {
  const { archive } = deps.storage
  const until = deps.clock.steady() - jobHistoryDays * DAY_MS
  if (archive.upTo(until, 1).length > 0) await removeRecords(deps, (most) => archive.upTo(until, most))
  const isFull = () => archive.bytes() > jobHistoryMaxMib * MIB
  if (!isFull()) return
  await removeOutputs(deps, (most) => (isFull() ? archive.largestOutputs(SMALL_OUTPUT_BYTES, most) : []), isFull)
  await removeRecords(deps, (most) => (isFull() ? archive.upTo(Number.MAX_SAFE_INTEGER, most) : []), isFull)
}

/** Removes the outputs above the small ones of jobs that were archived at `steady` or earlier; their records stay. */
export async function removeArchivedOutputs(deps: Deps, steady: number): Promise<void> {
  const { archive } = deps.storage
  await removeOutputs(deps, (most) => archive.largestOutputsUpTo(steady, SMALL_OUTPUT_BYTES, most))
}

// The chunks of a stream may be many: then the output of one job takes several slices.
function removeOutputs(
  deps: Deps,
  next: (most: number) => readonly number[],
  goesOn: () => boolean = () => true,
): Promise<number> {
  return writeInSlices(deps, next, (seq) => goesOn() && deps.storage.archive.removeOutput(seq))
}

function removeRecords(
  deps: Deps,
  next: (most: number) => readonly number[],
  goesOn: () => boolean = () => true,
): Promise<number> {
  const { archive, jobs } = deps.storage
  return writeInSlices(deps, next, (seq) => {
    if (!goesOn() || !archive.removeOutput(seq)) return false
    jobs.remove(seq)
    return true
  })
}
