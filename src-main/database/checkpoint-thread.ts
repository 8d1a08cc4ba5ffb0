/**
 * Checkpoints the WAL in a thread of some 30 MB, so that no commit waits. A guard read stops SQLite from restarting the
 * log on the event loop; commits pause briefly while the thread does so. wal_autocheckpoint is the fallback.
 */
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import BetterSqlite, { type Database } from 'better-sqlite3'
import { pageCount } from './open-database.ts'

type WriterOfLog = {
  readonly commits: () => number
  readonly pause: () => () => void
}

type ThreadRequest = 'write-back' | 'begin-anew' | 'begun-anew'
type Reply = 'write-back' | 'nothing-new' | 'begin-anew' | 'stop'

const PAGE_BYTES = 4096
const START_PAGES = 1000
// 32 MB: with 64 clients the log restarts every few seconds, and their commits then wait for about three syncs.
const LONG_LOG_PAGES = (32 * 1024 * 1024) / PAGE_BYTES
const LOOK_EVERY_MS = 200
const QUIET_LOOKS = 25

export function startCheckpoints(file: string, guard: Database, writer: WriterOfLog) {
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
  const compiled = getCompileCacheDir()
  const environment = compiled === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(compiled) }
  const [read, letGo] = [guard.prepare('SELECT 1 FROM sqlite_schema LIMIT 1'), guard.prepare('ROLLBACK')]
  const hold = guard.prepare('BEGIN')

  function release(): void {
    if (guard.inTransaction) letGo.run()
  }

  function answer(request: ThreadRequest): Reply | undefined {
    if (request === 'begun-anew') {
      resume()
      return undefined
    }
    if (request === 'begin-anew') {
      resume = writer.pause()
      release()
      return 'begin-anew'
    }
    // Without new commits the guard must keep its page in the log: a read that begins now would guard nothing.
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
    started.on('message', (request: ThreadRequest) => {
      const reply = answer(request)
      if (reply !== undefined) started.postMessage(reply)
    })
    started.once('error', () => undefined)
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
    stop(): Promise<void> {
      clearInterval(timer)
      stopping = true
      if (worker === undefined) guard.close()
      worker?.ref() // the process must not end before the thread closes its connection
      worker?.postMessage('stop' satisfies Reply)
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
  const ask = (request: ThreadRequest) => port.postMessage(request)
  const lookLater = () => setTimeout(() => ask('write-back'), LOOK_EVERY_MS)
  const writeBack = () => (db.pragma('wal_checkpoint(PASSIVE)') as [{ log: number }])[0].log

  function end(): void {
    port.close()
    db.close()
  }

  function beginAnew(): void {
    try {
      writeBack()
      mark.run()
    } finally {
      ask('begun-anew')
    }
  }

  const on: Readonly<Record<Reply, () => void>> = {
    'write-back': () => {
      quietLooks = 0
      if (writeBack() >= LONG_LOG_PAGES) ask('begin-anew')
      else lookLater()
    },
    'nothing-new': () => {
      quietLooks += 1
      isEnding = quietLooks >= QUIET_LOOKS
      // So that the next commit finds pages in the log and does not restart it itself.
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
  port.on('message', (reply: Reply) => on[reply]())
  ask('write-back')
}

if (!isMainThread && parentPort !== null) lookAfter((workerData as { file: string }).file, parentPort)
