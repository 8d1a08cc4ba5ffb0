/**
 * Writes the log of the database back in a thread of its own, so that no commit waits for that. The thread has its own
 * connection; a passive checkpoint neither waits for the writer nor makes it wait. Should the log grow all the same,
 * the writer does it itself (wal_autocheckpoint in open-database).
 *
 * The thread costs some 30 MB, so it lives only while the log is written: it starts when the log has grown, and ends
 * when nothing was written for a while.
 */
import { statSync } from 'node:fs'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import BetterSqlite from 'better-sqlite3'

/** Checkpoints beside the writer. */
export type Checkpoints = { readonly stop: () => Promise<void> }

// The default of SQLite: 1000 pages of 4 KiB.
const LOG_BYTES = 1000 * 4096
const LOOK_EVERY_MS = 200
const QUIET_MS = 5000

/** Looks after the log of a database file that is open in this thread. */
export function startCheckpoints(file: string): Checkpoints {
  let worker: Worker | undefined
  let ended: Promise<void> = Promise.resolve()
  let doneUntil = 0
  const timer = setInterval(() => {
    const { bytes, writtenAt } = logOf(file)
    if (worker === undefined && bytes > LOG_BYTES && writtenAt > doneUntil) begin()
  }, LOOK_EVERY_MS)
  timer.unref()

  function begin(): void {
    const started = new Worker(new URL(import.meta.url), { workerData: { file } })
    started.unref()
    worker = started
    started.once('error', () => undefined) // a full disk, say: the thread ends, and the writer does it itself
    ended = new Promise((resolve) => {
      started.once('exit', () => {
        worker = undefined
        doneUntil = logOf(file).writtenAt
        resolve()
      })
    })
  }

  return {
    stop() {
      clearInterval(timer)
      worker?.ref() // the process must not end before the thread has closed its connection
      worker?.postMessage('stop')
      return ended
    },
  }
}

function logOf(file: string): { readonly bytes: number; readonly writtenAt: number } {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })
  return { bytes: log?.size ?? 0, writtenAt: log?.mtimeMs ?? 0 }
}

function checkpointUntilQuiet(file: string): void {
  const db = new BetterSqlite(file, { timeout: 0 })
  let lastWrittenAt = 0
  let quietMs = 0
  const end = () => {
    clearInterval(timer)
    parentPort?.close()
    db.close()
  }
  const timer = setInterval(() => {
    const { writtenAt } = logOf(file)
    quietMs = writtenAt === lastWrittenAt ? quietMs + LOOK_EVERY_MS : 0
    lastWrittenAt = writtenAt
    if (quietMs === 0) db.pragma('wal_checkpoint(PASSIVE)')
    if (quietMs >= QUIET_MS) end()
  }, LOOK_EVERY_MS)
  parentPort?.once('message', end)
}

if (!isMainThread) checkpointUntilQuiet((workerData as { file: string }).file)
