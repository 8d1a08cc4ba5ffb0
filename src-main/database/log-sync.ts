/**
 * Syncs the WAL off the event loop; each sync covers all earlier commits, and several may overlap. Callbacks run in
 * commit order once covered. A failed sync is never retried, as the system may report lost writes as done; everything
 * then fails.
 */
import { closeSync, fdatasync, openSync } from 'node:fs'
import { AppError } from '../contract/errors.ts'
import { createEmitter } from '../lib/emitter.ts'
import { errorCode } from '../lib/error-code.ts'

type Settle = (failure: AppError | undefined) => void

export type LogSync = ReturnType<typeof createLogSync>

export type SyncSlot = {
  readonly sync: (done: (error: Error | null) => void) => void
  readonly close: () => void
}

// More did not speed up a fast disk and would occupy all Node file threads.
const UNDER_WAY = 3

/**
 * Opens handles for parallel syncs, each its own, as the system reports a failed write once per handle.
 * @param path an existing log
 */
export function openSyncSlots(path: string): readonly SyncSlot[] {
  return Array.from({ length: UNDER_WAY }, () => {
    const file = openSync(path, 'r+')
    return {
      // On macOS Node makes this a full sync, past the disk's cache.
      sync: (done) => fdatasync(file, done),
      close: () => closeSync(file),
    }
  })
}

type Waiting = { readonly commit: number; readonly settle: Settle }

export function createLogSync(slots: readonly SyncSlot[]) {
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
    /**
     * Resolves when all commits so far are on disk.
     * @throws AppError STORAGE_FAILED
     */
    durable: (): Promise<void> =>
      new Promise((resolve, reject) => afterNewest((failure) => (failure === undefined ? resolve() : reject(failure)))),
    failure: (): AppError | undefined => failed,
    onFailure: failures.on,
    syncs: (): { readonly count: number; readonly seconds: number } => ({ count: ended, seconds: spentMs / 1000 }),
    async close() {
      if (free.length < slots.length) await new Promise<void>((resolve) => atRest.push(resolve))
      for (const slot of slots) slot.close()
    },
  }
}
