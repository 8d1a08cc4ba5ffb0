/**
 * Group commit: all writes of one event loop turn share one IMMEDIATE transaction; if one throws, each reruns alone.
 * Internal listeners run right after the commit; external responses and irreversible effects wait until it is on disk.
 */
import { AsyncResource } from 'node:async_hooks'
import type { Database } from 'better-sqlite3'
import { AppError } from '../contract/errors.ts'
import { createEmitter } from '../lib/emitter.ts'
import { errorCode } from '../lib/error-code.ts'
import type { Change } from './changes.ts'
import type { LogSync } from './log-sync.ts'

/**
 * Resolves when the commit is on disk; others may have read and changed the written rows by then. `work` may run twice,
 * so it only writes and returns.
 */
type Writer = <T>(work: () => T) => Promise<T>

/** Callbacks after a commit: at once, and when it is on disk, safe from a power cut. */
type AfterCommit = { readonly committed?: () => void; readonly durable?: () => void }

type Pending = {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}
type Listener = (changes: readonly Change[]) => void
type Hook = (changes: readonly Change[]) => AfterCommit | undefined

export type GroupCommit = {
  readonly write: Writer
  /** Called by stores within a write for changes that listeners get after the commit. */
  readonly record: (change: Change) => void
  readonly onCommit: (listener: Listener) => void
  readonly onDurable: (listener: Listener) => void
  readonly beforeCommit: (hook: Hook) => void
  /** Undoes what writes changed in memory; each is then repeated alone, or has failed. */
  readonly onRollback: (listener: () => void) => void
  readonly poke: () => void
  readonly commits: () => number
  readonly pause: () => () => void
  readonly close: () => Promise<void>
}

type Committed = {
  readonly changes: readonly Change[]
  readonly resolves: readonly (() => void)[]
  readonly followUps: readonly AfterCommit[]
  readonly wrote: boolean
}

export function createGroupCommit(db: Database, log: LogSync): GroupCommit {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const totalChanges = db.prepare<[], number>('SELECT total_changes()').pluck()
  const commitChanges = createEmitter<[readonly Change[]]>()
  const durableChanges = createEmitter<[readonly Change[]]>()
  const rollbacks = createEmitter()
  const hooks: Hook[] = []
  let pending: Pending[] = []
  let changes: Change[] = []
  let written = totalChanges.get()
  let commits = 0
  let scheduled = false
  let paused = false
  let closed = false

  function transact(works: readonly Pending[]): Committed {
    changes = []
    const resolves: (() => void)[] = []
    begin.run()
    try {
      for (const { work, resolve } of works) {
        const value = work()
        resolves.push(() => resolve(value as never))
      }
      const followUps = hooks.map((hook) => hook(changes)).filter((followUp) => followUp !== undefined)
      commit.run()
      const total = totalChanges.get()
      const wrote = total !== written
      if (wrote) commits += 1
      written = total
      return { changes, resolves, followUps, wrote }
    } catch (error) {
      if (db.inTransaction) rollback.run()
      rollbacks.emit()
      throw error
    }
  }

  function commitGroup(works: readonly Pending[]): void {
    let committed: Committed
    try {
      committed = transact(works)
    } catch (error) {
      if (works.length > 1) for (const single of works) commitGroup([single])
      else works[0]?.reject(asAppError(error))
      return
    }
    publish(committed, works)
  }

  function publish({ changes: made, resolves, followUps, wrote }: Committed, works: readonly Pending[]): void {
    for (const { committed } of followUps) committed?.()
    if (made.length > 0) commitChanges.emit(made)
    const settle = (failure: AppError | undefined) => {
      if (failure !== undefined) {
        for (const { reject } of works) reject(failure)
        return
      }
      for (const resolve of resolves) resolve()
      for (const { durable } of followUps) durable?.()
      if (made.length > 0) durableChanges.emit(made)
    }
    if (wrote) log.committed(settle)
    else log.afterNewest(settle)
  }

  function flush(): void {
    scheduled = false
    if (paused) return
    const works = pending
    pending = []
    const failure = log.failure()
    if (failure === undefined) commitGroup(works)
    else for (const { reject } of works) reject(failure)
  }

  // Many requests share a flush, so none of them may count as its cause.
  const flushAlone = AsyncResource.bind(flush)

  function schedule(): void {
    if (scheduled || closed) return
    scheduled = true
    setImmediate(flushAlone)
  }

  return {
    write: (work) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new AppError('STOPPING'))
        pending.push({ work, resolve, reject })
        schedule()
      }),
    record: (change) => changes.push(change),
    onCommit: commitChanges.on,
    onDurable: durableChanges.on,
    beforeCommit: (hook) => hooks.push(hook),
    onRollback: rollbacks.on,
    poke: schedule,
    commits: () => commits,
    pause() {
      paused = true
      return () => {
        paused = false
        schedule()
      }
    },
    async close() {
      if (closed) return
      closed = true
      paused = false
      flush()
      await log.close()
    },
  }
}

function asAppError(error: unknown): unknown {
  const code = errorCode(error)
  if (code.startsWith('SQLITE_FULL')) return new AppError('DISK_FULL', {}, { cause: error })
  if (/^SQLITE_(BUSY|IOERR|READONLY|CANTOPEN|LOCKED)/.test(code)) {
    return new AppError('DATABASE_BUSY', { why: (error as Error).message }, { cause: error })
  }
  return error
}
