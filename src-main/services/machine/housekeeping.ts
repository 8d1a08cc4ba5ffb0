/**
 * The small things that time asks for: deadlines of jobs, jumps of the wall clock, the search index, old logs, events,
 * metrics and artifacts.
 */
import type { ServiceSettings } from '../../contract/management.ts'
import { DAY_MS, HOUR_MS, MIB, MINUTE_MS, SECOND_MS } from '../../contract/units.ts'
import { sweepArtifacts } from '../apps/release-source.ts'
import type { Storage } from '../ports/storage.ts'
import type { Clock, Log } from '../ports/system.ts'
import { sweepDeadlines } from '../queue/lost-and-overdue-jobs.ts'
import type { WorkerRegistry } from '../worker-registry.ts'
import { type SliceDeps, writeInSlices } from '../write-slices.ts'

/** What housekeeping needs. */
export type HousekeepingDeps = {
  readonly storage: Storage
  readonly clock: Clock & { readonly checkForJump: () => void }
  readonly log: Log
  readonly registry: Pick<WorkerRegistry, 'ofEndpoint'>
  readonly settings: () => ServiceSettings
}

const TICK_MS = 500
const TRIM_EVERY_MS = 60_000
// Deleting gigabytes takes long, so it has a timer of its own; the first one when the start is over.
const FIRST_SWEEP_MS = MINUTE_MS
const SWEEP_EVERY_MS = HOUR_MS
/** Log lines or requests that one transaction removes. Source: ours, so that others get their turn between two. */
export const LOG_BATCH = 2000
// A batch takes about 1.5 ms, so that a request that comes meanwhile does not notice. A quarter of it would take
// half as long, because the index writes each batch on its own.
const INDEX_BATCH = 100
const INDEX_PAUSE_MS = 40
// More events than this in a second: requests come thick, and indexing waits for a pause, but not for ever.
const BUSY_EVENTS = 400
const BUSY_WAIT_MS = 30_000

/** The loop of small things. */
export class Housekeeping {
  readonly #deps: HousekeepingDeps
  #cancelTick: (() => void) | undefined
  #cancelIndex: (() => void) | undefined
  #cancelSweep: (() => void) | undefined
  #sweeping: Promise<void> = Promise.resolve()
  #trimmedAt = 0
  #indexedAt = 0
  #seen = { eventId: 0, at: 0 }
  #busy: Promise<void> = Promise.resolve()
  #stopped = true

  constructor(deps: HousekeepingDeps) {
    this.#deps = deps
  }

  /** Begins. */
  start(): void {
    this.#stopped = false
    this.#indexedAt = this.#deps.clock.steady()
    this.#planTick()
    this.#planIndex(TICK_MS)
    this.#planSweep(FIRST_SWEEP_MS)
  }

  /** Ends; waits for what is under way. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelTick?.()
    this.#cancelIndex?.()
    this.#cancelSweep?.()
    await Promise.all([this.#busy, this.#sweeping])
    this.#deps.clock.checkForJump() // else one since the last tick would be taken for time that passed
  }

  #planTick(): void {
    this.#cancelTick = this.#deps.clock.after(TICK_MS, () => {
      this.#busy = this.#tick()
        .catch((error) => this.#deps.log.warn('housekeeping failed', { error }))
        .finally(() => {
          if (!this.#stopped) this.#planTick()
        })
    })
  }

  async #tick(): Promise<void> {
    const { storage, clock, settings } = this.#deps
    clock.checkForJump()
    const isStopped = () => this.#stopped
    await sweepDeadlines({ storage, clock, isStopped })
    if (!this.#stopped) await sweepArchive({ storage, clock, isStopped }, settings())
    if (clock.steady() - this.#trimmedAt >= TRIM_EVERY_MS) {
      this.#trimmedAt = clock.steady()
      await this.#trim()
    }
  }

  async #trim(): Promise<void> {
    const { storage, clock, settings } = this.#deps
    const before = clock.now() - settings().logRetentionDays * DAY_MS
    while (!this.#stopped && (await storage.write(() => storage.logs.trim(before, LOG_BATCH))) === LOG_BATCH);
    while (!this.#stopped && (await storage.write(() => storage.requests.trim(before, LOG_BATCH))) === LOG_BATCH);
    await storage.write(() => {
      storage.events.trimFleet(before)
      storage.metrics.trim(before)
    })
  }

  #planSweep(ms: number): void {
    if (this.#stopped) return
    this.#cancelSweep = this.#deps.clock.after(ms, () => {
      this.#sweeping = sweepArtifacts(this.#deps)
        .catch((error) => this.#deps.log.warn('artifacts not swept', { error }))
        .finally(() => this.#planSweep(SWEEP_EVERY_MS))
    })
  }

  #planIndex(ms: number): void {
    if (this.#stopped) return
    this.#cancelIndex = this.#deps.clock.after(ms, () => {
      this.#index()
        .catch((error) => {
          this.#deps.log.warn('search index not written', { error })
          return false
        })
        .then((moreWait) => this.#planIndex(moreWait ? INDEX_PAUSE_MS : TICK_MS))
    })
  }

  // A search catches up by itself, so a batch that was not full needs no next one at once.
  async #index(): Promise<boolean> {
    const { storage, clock } = this.#deps
    if (this.#isBusy()) return false
    const { search } = storage
    const moreWait = search.behind() && (await storage.write(() => search.catchUp(INDEX_BATCH)))
    if (moreWait) return true
    this.#indexedAt = clock.steady()
    return false
  }

  // An index that has waited too long is brought up to date, however thick they come.
  #isBusy(): boolean {
    const [eventId, at] = [this.#deps.storage.events.lastId(), this.#deps.clock.steady()]
    const many = eventId - this.#seen.eventId > (BUSY_EVENTS * (at - this.#seen.at)) / SECOND_MS
    this.#seen = { eventId, at }
    return many && at - this.#indexedAt < BUSY_WAIT_MS
  }
}

// The archive of jobs is kept within its time and its size. Above the size the largest outputs go first, and leave
// their records; outputs that are no larger than a record go with it, oldest first.

/** An output up to this size takes no more than its record, and stays as long; bytes. */
export const SMALL_OUTPUT_BYTES = 4096

type Deps = SliceDeps & { readonly storage: Pick<Storage, 'write' | 'archive' | 'jobs'> }

/** Removes what is too old, and what is too much. */
async function sweepArchive(
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
  await removeOutputs(deps, (most) => archive.largestOutputsUpTo(SMALL_OUTPUT_BYTES, steady, most))
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
