import BetterSqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { createGroupCommit } from '../../../src-main/database/group-commit.ts'
import { createLogSync, type SyncSlot } from '../../../src-main/database/log-sync.ts'
import type { Change } from '../../../src-main/storage/storage.ts'

/** Syncs that end when the test says so. */
function manualSyncs(slots = 2) {
  const underWay: ((error: Error | null) => void)[] = []
  const closed: number[] = []
  const all: SyncSlot[] = Array.from({ length: slots }, (_, at) => ({
    sync: (done) => void underWay.push(done),
    close: () => void closed.push(at),
  }))
  const end = (at: number, error: Error | null = null) => underWay.splice(at, 1)[0]?.(error)
  return { log: createLogSync(all), underWay, closed, end }
}

/** Which of the commits that were asked about are told to be on the disk. */
function followed(log: ReturnType<typeof manualSyncs>['log']) {
  const told: string[] = []
  const commit = (name: string) => log.committed((failure) => told.push(failure === undefined ? name : failure.code))
  return { told, commit }
}

describe('the log on its way to the disk', () => {
  it('tells of a commit when a sync has ended that began after it', () => {
    const { log, end } = manualSyncs(1)
    const { told, commit } = followed(log)
    commit('a')
    commit('b')
    end(0)
    expect(told).toEqual(['a'])
    end(0)
    expect(told).toEqual(['a', 'b'])
  })

  it('covers all commits that came while no sync was free with the next one', () => {
    const { log, end, underWay } = manualSyncs(1)
    const { told, commit } = followed(log)
    for (const name of ['a', 'b', 'c', 'd']) commit(name)
    end(0)
    expect(underWay).toHaveLength(1)
    end(0)
    expect(told).toEqual(['a', 'b', 'c', 'd'])
    expect(underWay).toHaveLength(0)
  })

  it('begins the next sync during the current one, and keeps the order whichever ends first', () => {
    const { log, end, underWay } = manualSyncs()
    const { told, commit } = followed(log)
    commit('a')
    commit('b')
    expect(underWay).toHaveLength(2)
    end(1)
    expect(told).toEqual(['a', 'b'])
    end(0)
    expect(told).toEqual(['a', 'b'])
  })

  it('holds back whoever has only read until what was read is on the disk', async () => {
    const { log, end } = manualSyncs(1)
    await log.durable()
    log.committed(() => undefined)
    let isDurable = false
    const durable = log.durable().then(() => {
      isDurable = true
    })
    await Promise.resolve()
    expect(isDurable).toBe(false)
    end(0)
    await durable
  })

  it('never believes the disk again once a sync has failed', async () => {
    const { log, end, underWay } = manualSyncs()
    const { told, commit } = followed(log)
    commit('a')
    commit('b')
    end(0, Object.assign(new Error('i/o'), { code: 'EIO' }))
    expect(told).toEqual(['STORAGE_FAILED', 'STORAGE_FAILED'])
    end(0)
    commit('c')
    expect(told).toEqual(['STORAGE_FAILED', 'STORAGE_FAILED', 'STORAGE_FAILED'])
    expect(underWay).toHaveLength(0)
    await expect(log.durable()).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    expect(log.failure()?.message).toContain('EIO')
  })

  it('waits for the syncs under way before it closes their files', async () => {
    const { log, end, closed } = manualSyncs()
    const { told, commit } = followed(log)
    commit('a')
    const closing = log.close()
    expect(closed).toEqual([])
    end(0)
    await closing
    expect(closed).toEqual([0, 1])
    expect(told).toEqual(['a'])
  })
})

describe('group commit on a disk that takes its time', () => {
  function setup() {
    const db = new BetterSqlite(':memory:')
    db.exec('CREATE TABLE t (n INTEGER PRIMARY KEY)')
    const syncs = manualSyncs(1)
    const commit = createGroupCommit(db, syncs.log)
    const seen: string[] = []
    const name = (changes: readonly Change[]) => changes.map(({ event }) => event).join(' ')
    commit.onCommit((changes) => seen.push(`committed ${name(changes)}`))
    commit.onDurable((changes) => seen.push(`durable ${name(changes)}`))
    const insert = db.prepare('INSERT INTO t (n) VALUES (?)')
    const add = (n: number) =>
      commit.write(() => {
        insert.run(n)
        commit.record({ type: 'endpoint', event: String(n) } as unknown as Change)
        return n
      })
    return { db, commit, seen, add, ...syncs }
  }
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

  it('lets the service know at once, and everybody else when it is on the disk', async () => {
    const { add, seen, end } = setup()
    const first = add(1).then((n) => seen.push(`resolved ${n}`))
    await turn()
    expect(seen).toEqual(['committed 1'])
    end(0)
    await first
    expect(seen).toEqual(['committed 1', 'durable 1', 'resolved 1'])
  })

  it('keeps committing while a sync is under way', async () => {
    const { add, seen, end } = setup()
    const both = [add(1)]
    await turn()
    both.push(add(2))
    await turn()
    expect(seen).toEqual(['committed 1', 'committed 2'])
    end(0)
    end(0)
    expect(await Promise.all(both)).toEqual([1, 2])
  })

  it('lets a write that changed nothing wait for what it has read', async () => {
    const { add, commit, db, end } = setup()
    const first = add(1)
    await turn()
    let isDone = false
    const reader = commit
      .write(() => db.prepare('SELECT n FROM t').all())
      .then(() => {
        isDone = true
      })
    await turn()
    expect(isDone).toBe(false)
    end(0)
    await Promise.all([first, reader])
  })

  it('rejects what was under way when a sync fails, and writes nothing more', async () => {
    const { add, db, end } = setup()
    const lost = add(1)
    const refused = expect(lost).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    await turn()
    end(0, new Error('EIO'))
    await refused
    await expect(add(2)).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    expect(db.prepare('SELECT COUNT(*) AS n FROM t').get()).toEqual({ n: 1 })
  })

  it('commits nothing while it is paused, and all of it afterwards', async () => {
    const { add, commit, seen, end } = setup()
    const resume = commit.pause()
    const waiting = add(1)
    await turn()
    await turn()
    expect(seen).toEqual([])
    resume()
    await turn()
    end(0)
    expect(await waiting).toBe(1)
  })
})
