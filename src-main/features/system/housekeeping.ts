import type { ServiceSettings } from '../../contract/management.ts'
import type { Clock, Log } from '../../lib/clock.ts'
import { DAY_MS, HOUR_MS, MIB, MINUTE_MS, SECOND_MS } from '../../lib/units.ts'
import { type SliceDeps, writeInSlices } from '../../lib/write-slices.ts'
import type { Storage } from '../../storage/storage.ts'
import { sweepArtifacts } from '../apps/release-source.ts'
import { sweepDeadlines } from '../jobs/queue/lost-and-overdue-jobs.ts'
import type { WorkerRegistry } from '../workers/registry/worker-registry.ts'

export type HousekeepingDeps = {
  readonly storage: Storage
  readonly clock: Clock & { readonly checkForJump: () => void }
  readonly log: Log
  readonly registry: Pick<WorkerRegistry, 'ofEndpoint'>
  readonly settings: () => ServiceSettings
}

const TICK_MS = 500
const TRIM_EVERY_MS = 60_000
// Deleting gigabytes is slow and has its own timer; the first run is after the start.
const FIRST_SWEEP_MS = MINUTE_MS
const SWEEP_EVERY_MS = HOUR_MS
/** Log lines or requests removed per transaction. Source: ours, so that others get a turn. */
export const LOG_BATCH = 2000
// About 1.5 ms, which requests do not notice; smaller batches cost more, as the index writes each separately.
const INDEX_BATCH = 100
const INDEX_PAUSE_MS = 40
// Events per second above which indexing waits for a pause, but not forever.
const BUSY_EVENTS = 400
const BUSY_WAIT_MS = 30_000

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

  start(): void {
    this.#stopped = false
    this.#indexedAt = this.#deps.clock.steady()
    this.#planTick()
    this.#planIndex(TICK_MS)
    this.#planSweep(FIRST_SWEEP_MS)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelTick?.()
    this.#cancelIndex?.()
    this.#cancelSweep?.()
    await Promise.all([this.#busy, this.#sweeping])
    this.#deps.clock.checkForJump() // otherwise a jump since the last tick would count as elapsed time
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

  // Searches catch up by themselves, so a partial batch needs no successor at once.
  async #index(): Promise<boolean> {
    const { storage, clock } = this.#deps
    if (this.#isBusy()) return false
    const { search } = storage
    const moreWait = search.behind() && (await storage.write(() => search.catchUp(INDEX_BATCH)))
    if (moreWait) return true
    this.#indexedAt = clock.steady()
    return false
  }

  // An index that waited too long is updated even when busy.
  #isBusy(): boolean {
    const [eventId, at] = [this.#deps.storage.events.lastId(), this.#deps.clock.steady()]
    const many = eventId - this.#seen.eventId > (BUSY_EVENTS * (at - this.#seen.at)) / SECOND_MS
    this.#seen = { eventId, at }
    return many && at - this.#indexedAt < BUSY_WAIT_MS
  }
}

// Keeps the job archive within its age and size. Above the size, the largest outputs go first and records stay; outputs
// no larger than a record go with it, oldest first.

/** Up to this size, in bytes, an output is deleted with its record. */
export const SMALL_OUTPUT_BYTES = 4096

type Deps = SliceDeps & { readonly storage: Pick<Storage, 'write' | 'archive' | 'jobs'> }

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

export async function removeArchivedOutputs(deps: Deps, steady: number): Promise<void> {
  const { archive } = deps.storage
  await removeOutputs(deps, (most) => archive.largestOutputsUpTo(SMALL_OUTPUT_BYTES, steady, most))
}

// A stream may have many chunks, so one job's output can take several slices.
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
