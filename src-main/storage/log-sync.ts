/**
 * Brings the log of the database onto the disk beside the event loop. Each sync covers every commit before it; some
 * may be under way, so that a commit that just misses one does not wait for its end before its own begins. What must not
 * run ahead of the disk is called when a sync that covers its commit has ended, in the order of the commits.
 *
 * A sync that failed is never tried again: the system may have dropped what it could not write and report the next
 * sync as done. From then on nothing becomes durable, and whoever waits gets the error.
 */
import { closeSync, fdatasync, openSync } from 'node:fs'
import { AppError } from '../contract/errors.ts'
import { createEmitter } from '../domain/emitter.ts'
import { errorCode } from '../domain/error-code.ts'

/** Called once: with nothing when all commits before are on the disk, else with the reason why they may not be. */
type Settle = (failure: AppError | undefined) => void

/** Which commits are on the disk. */
export type LogSync = {
  /** Begins to bring the newest commit onto the disk, and calls `settle` when it is there. */
  readonly committed: (settle: Settle) => void
  /** Calls `settle` when the newest commit is on the disk, at once where it is. */
  readonly afterNewest: (settle: Settle) => void
  /** Resolves when all commits so far are on the disk. @throws AppError STORAGE_FAILED */
  readonly durable: () => Promise<void>
  /** Why nothing becomes durable any more; undefined as long as all is well. */
  readonly failure: () => AppError | undefined
  /** Called once, with that reason. */
  readonly onFailure: (listener: (failure: AppError) => void) => void
  /** The syncs so far, and the time from asking for each until it had ended. */
  readonly syncs: () => { readonly count: number; readonly seconds: number }
  /** Waits until all commits are on the disk, or have failed to get there, and ends. */
  readonly close: () => Promise<void>
}

/** One file handle through which syncs run, one at a time. */
export type SyncSlot = {
  readonly sync: (done: (error: Error | null) => void) => void
  readonly close: () => void
}

// More made a fast disk no faster, and would take all threads that Node has for files.
const UNDER_WAY = 3

/**
 * Opens the log of a database for the syncs that may be under way. Each has a handle of its own, because the system
 * reports a failed write once to each handle: with a shared one, the sync beside the failing one could be told that all
 * is well.
 * @param path of the log, which must be there
 */
export function openSyncSlots(path: string): readonly SyncSlot[] {
  return Array.from({ length: UNDER_WAY }, () => {
    const file = openSync(path, 'r+')
    return {
      // On macOS Node makes it a full sync, which reaches the disk and not only its cache.
      sync: (done) => fdatasync(file, done),
      close: () => closeSync(file),
    }
  })
}

type Waiting = { readonly commit: number; readonly settle: Settle }

/** Makes the line of commits on their way to the disk. Without slots all commits are as durable as they get. */
export function createLogSync(slots: readonly SyncSlot[]): LogSync {
  const free = [...slots]
  const waiting: Waiting[] = []
  const atRest: (() => void)[] = []
  const failures = createEmitter<[AppError]>()
  let written = 0
  let asked = 0
  let failed: AppError | undefined
  let ended = 0
  let spentMs = 0

  function settleUntil(commit: number, failure: AppError | undefined): void {
    const covered = waiting.findIndex((one) => one.commit > commit)
    for (const { settle } of waiting.splice(0, covered === -1 ? waiting.length : covered)) settle(failure)
  }

  function fail(error: unknown): void {
    failed = new AppError('STORAGE_FAILED', { why: errorCode(error) || String(error) }, { cause: error })
    settleUntil(written, failed)
    failures.emit(failed)
  }

  function begin(): void {
    if (failed !== undefined || asked === written) return
    const slot = free.pop()
    if (slot === undefined) return
    const covered = written
    asked = covered
    const since = performance.now()
    slot.sync((error) => {
      ended += 1
      spentMs += performance.now() - since
      free.push(slot)
      if (failed === undefined && error !== null) fail(error)
      if (failed === undefined) {
        settleUntil(covered, undefined)
        begin()
      }
      if (free.length === slots.length) for (const resolve of atRest.splice(0)) resolve()
    })
  }

  const committed = (settle: Settle) => {
    written += 1
    if (failed !== undefined || slots.length === 0) return settle(failed)
    waiting.push({ commit: written, settle })
    begin()
  }

  const afterNewest = (settle: Settle) => {
    if (waiting.length === 0) return settle(failed)
    waiting.push({ commit: written, settle })
  }

  return {
    committed,
    afterNewest,
    durable: () =>
      new Promise((resolve, reject) => afterNewest((failure) => (failure === undefined ? resolve() : reject(failure)))),
    failure: () => failed,
    onFailure: failures.on,
    syncs: () => ({ count: ended, seconds: spentMs / 1000 }),
    async close() {
      if (free.length < slots.length) await new Promise<void>((resolve) => atRest.push(resolve))
      for (const slot of slots) slot.close()
    },
  }
}
