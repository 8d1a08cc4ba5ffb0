/**
 * Writes the log of the database back in a thread of its own, so that no commit waits for that. The thread costs some
 * 30 MB, so it lives only while the log is written: it starts when the log has grown, and ends when nothing was written
 * for a while.
 *
 * It also lets the log begin anew. SQLite does that by itself with the first commit after everything was written back,
 * and must sync the new header first, which would make the event loop wait. So the main thread keeps a read open (the
 * guard) that forbids it, and now and then stops its commits for a moment in which the thread begins the log anew with a
 * commit of its own. Should the log grow all the same, the writer writes it back (wal_autocheckpoint in open-database).
 */
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import BetterSqlite, { type Database } from 'better-sqlite3'
import { pageCount } from './open-database.ts'

/** Checkpoints beside the writer. */
type Checkpoints = { readonly stop: () => Promise<void> }

/** What the thread needs of the writer. */
type WriterOfLog = {
  /** A number that grows with each commit. */
  readonly commits: () => number
  /** Commits nothing until the returned function is called. */
  readonly pause: () => () => void
}

/** What the thread asks for, and what it is told. */
type Asked = 'write-back' | 'begin-anew' | 'begun-anew'
type Told = 'write-back' | 'nothing-new' | 'begin-anew' | 'stop'

const PAGE_BYTES = 4096
// The default of SQLite.
const START_PAGES = 1000
// 32 MB: with 64 clients the log begins anew every few seconds, and their commits then wait for some three syncs.
const LONG_LOG_PAGES = (32 * 1024 * 1024) / PAGE_BYTES
const LOOK_EVERY_MS = 200
const QUIET_LOOKS = 25

/**
 * Looks after the log of a database file that is open in this thread.
 * @param guard a connection to it that nothing else uses
 */
export function startCheckpoints(file: string, guard: Database, writer: WriterOfLog): Checkpoints {
  let worker: Worker | undefined
  let ended: Promise<void> = Promise.resolve()
  let seenCommits = writer.commits()
  let lookedAt = seenCommits
  let stopping = false
  let resume: () => void = () => undefined
  const timer = setInterval(() => {
    if (worker !== undefined || writer.commits() === lookedAt) return
    lookedAt = writer.commits()
    if (pageCount(guard) >= START_PAGES) begin()
  }, LOOK_EVERY_MS)
  timer.unref()
  // A thread looks for compiled code only where this variable says.
  const compiled = getCompileCacheDir()
  const environment = compiled === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(compiled) }
  const [read, letGo] = [guard.prepare('SELECT 1 FROM sqlite_schema LIMIT 1'), guard.prepare('ROLLBACK')]
  const hold = guard.prepare('BEGIN')

  function release(): void {
    if (guard.inTransaction) letGo.run()
  }

  function answer(asked: Asked): Told | undefined {
    if (asked === 'begun-anew') {
      resume()
      return undefined
    }
    if (asked === 'begin-anew') {
      resume = writer.pause()
      release()
      return 'begin-anew'
    }
    // With nothing new the guard must stay at a page that is in the log: one that begins now would guard nothing.
    if (writer.commits() === seenCommits) return 'nothing-new'
    seenCommits = writer.commits()
    release()
    hold.run()
    read.get()
    return 'write-back'
  }

  function begin(): void {
    const started = new Worker(new URL(import.meta.url), { workerData: { file }, env: environment })
    started.unref()
    worker = started
    started.on('message', (asked: Asked) => {
      const told = answer(asked)
      if (told !== undefined) started.postMessage(told)
    })
    started.once('error', () => undefined) // a full disk, say: the thread ends, and the writer does it itself
    ended = new Promise((resolve) => {
      started.once('exit', () => {
        worker = undefined
        resume()
        release()
        if (stopping) guard.close()
        resolve()
      })
    })
  }

  return {
    stop() {
      clearInterval(timer)
      stopping = true
      if (worker === undefined) guard.close()
      worker?.ref() // the process must not end before the thread has closed its connection
      worker?.postMessage('stop' satisfies Told)
      return ended
    },
  }
}

const MARK = `
  INSERT INTO service_state (name, value) VALUES ('log.begun', '1') ON CONFLICT (name) DO UPDATE SET value = value + 1`

function lookAfter(file: string, port: NonNullable<typeof parentPort>): void {
  const db = new BetterSqlite(file, { timeout: 0 })
  db.pragma('synchronous = NORMAL')
  db.pragma('fullfsync = ON')
  db.pragma('checkpoint_fullfsync = ON')
  const mark = db.prepare(MARK)
  let quietLooks = 0
  let isEnding = false
  const ask = (asked: Asked) => port.postMessage(asked)
  const lookLater = () => setTimeout(() => ask('write-back'), LOOK_EVERY_MS)
  const writeBack = () => (db.pragma('wal_checkpoint(PASSIVE)') as [{ log: number }])[0].log

  function end(): void {
    port.close()
    db.close()
  }

  function beginAnew(): void {
    try {
      writeBack()
      mark.run() // with nothing left in the log, its first commit begins it anew
    } finally {
      ask('begun-anew')
    }
  }

  const on: Readonly<Record<Told, () => void>> = {
    'write-back': () => {
      quietLooks = 0
      if (writeBack() >= LONG_LOG_PAGES) ask('begin-anew')
      else lookLater()
    },
    'nothing-new': () => {
      quietLooks += 1
      isEnding = quietLooks >= QUIET_LOOKS
      // So that the first commit that comes later finds pages in the log, and does not begin it anew itself.
      if (isEnding) ask('begin-anew')
      else lookLater()
    },
    'begin-anew': () => {
      beginAnew()
      if (isEnding) end()
      else lookLater()
    },
    stop: end,
  }
  port.on('message', (told: Told) => on[told]())
  ask('write-back')
}

if (!isMainThread && parentPort !== null) lookAfter((workerData as { file: string }).file, parentPort)
