/**
 * Group commit. All writes asked for in one turn of the event loop run in one IMMEDIATE transaction and settle after
 * its commit. If one of them throws, the transaction is rolled back and each runs again in its own, so that a bad
 * write fails alone.
 */
import type { Database } from 'better-sqlite3'
import { AppError } from '../contract/errors.ts'
import type { Change, Writer } from '../services/ports.ts'

type Pending = {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}
type Hook = (changes: readonly Change[]) => (() => void) | undefined

/** The one writer of the database. */
export type GroupCommit = {
  readonly write: Writer
  /** Stores call this inside a write for every change that listeners hear after the commit. */
  readonly record: (change: Change) => void
  readonly onCommit: (listener: (changes: readonly Change[]) => void) => void
  readonly beforeCommit: (hook: Hook) => void
  readonly poke: () => void
  /** Commits what is pending; later writes are refused. */
  readonly close: () => void
}

/** Makes the writer of a database. */
export function createGroupCommit(db: Database): GroupCommit {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const listeners: ((changes: readonly Change[]) => void)[] = []
  const hooks: Hook[] = []
  let pending: Pending[] = []
  let changes: Change[] = []
  let scheduled = false
  let closed = false

  // Runs the works in one transaction; returns what to do after the commit.
  function transact(works: readonly Pending[]): (() => void)[] {
    changes = []
    const afterwards: (() => void)[] = []
    begin.run()
    try {
      for (const { work, resolve } of works) {
        const value = work()
        afterwards.push(() => resolve(value as never))
      }
      for (const hook of hooks) {
        const after = hook(changes)
        if (after !== undefined) afterwards.push(after)
      }
      commit.run()
      return afterwards
    } catch (error) {
      if (db.inTransaction) rollback.run()
      throw error
    }
  }

  function commitGroup(works: readonly Pending[]): void {
    let afterwards: readonly (() => void)[]
    try {
      afterwards = transact(works)
    } catch (error) {
      if (works.length > 1) for (const single of works) commitGroup([single])
      else works[0]?.reject(asAppError(error))
      return
    }
    publish(afterwards) // outside: what fails here is committed, and must not run again
  }

  function publish(afterwards: readonly (() => void)[]): void {
    const committed = changes
    changes = []
    for (const after of afterwards) after()
    if (committed.length > 0) for (const listener of listeners) listener(committed)
  }

  function flush(): void {
    scheduled = false
    const works = pending
    pending = []
    commitGroup(works)
  }

  function schedule(): void {
    if (scheduled || closed) return
    scheduled = true
    setImmediate(flush)
  }

  return {
    write: (work) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new AppError('STOPPING'))
        pending.push({ work, resolve, reject })
        schedule()
      }),
    record: (change) => changes.push(change),
    onCommit: (listener) => listeners.push(listener),
    beforeCommit: (hook) => hooks.push(hook),
    poke: schedule,
    close: () => {
      if (closed) return
      closed = true
      flush()
    },
  }
}

function asAppError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code.startsWith('SQLITE_FULL')) return new AppError('DISK_FULL', {}, { cause: error })
  if (/^SQLITE_(BUSY|IOERR|READONLY|CANTOPEN|LOCKED)/.test(code)) {
    return new AppError('DATABASE_BUSY', { why: (error as Error).message }, { cause: error })
  }
  return error
}
